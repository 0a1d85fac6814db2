import { mistakeWords } from './inFrench';

/** One mistake in a request: where, which, and in words. */
export interface FieldError {
  pointer: string;
  code: string;
  message: string;
}

/** The complaint about a field. */
export const errorAt = (errors: FieldError[], pointer: string): string | undefined =>
  errors.find((e) => e.pointer === pointer)?.message;

/** An error in the shape of RFC 9457, also for those that never reached the server. */
export class Problem extends Error {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly requestID?: string;
  readonly retryable: boolean;
  readonly retryAfter: number; // seconds; 0: not said
  /** Whether the change that was asked for took effect. */
  readonly outcome?: 'not_applied' | 'applied' | 'unknown';
  readonly errors: FieldError[];
  /** All other fields of the answer, e.g. the present values of something stale. */
  readonly more: Record<string, unknown>;

  constructor(fields: Record<string, unknown>) {
    const text = (name: string) => (typeof fields[name] === 'string' ? (fields[name] as string) : undefined);
    super(text('detail') ?? text('title') ?? text('code') ?? 'unknown');
    this.name = 'Problem';
    this.code = text('code') ?? 'unknown';
    this.detail = text('detail') ?? text('title') ?? '';
    this.status = typeof fields.status === 'number' ? fields.status : 0;
    this.requestID = text('request_id');
    this.retryable = fields.retryable === true;
    this.retryAfter = typeof fields.retryAfter === 'number' ? fields.retryAfter : 0;
    this.outcome = text('outcome') as Problem['outcome'];
    const errors = Array.isArray(fields.errors) ? (fields.errors as FieldError[]) : [];
    this.errors = errors.map((e) => ({ ...e, message: mistakeWords(e.code, e.message) }));
    this.more = fields;
  }
}

/** Whatever was thrown, as a Problem. */
export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  // Half an answer: the line broke, or something in between cut it.
  if (thrown instanceof SyntaxError) return new Problem({ code: 'unreachable', retryable: true });
  return new Problem({ code: 'page_error', detail: thrown instanceof Error ? thrown.message : String(thrown) });
}

/** Reads an answer that is not 2xx; it may be a proxy's own page. */
export async function problemOf(response: Response): Promise<Problem> {
  let said: unknown = null;
  try {
    said = JSON.parse(await response.text());
  } catch {
    /* not JSON: a proxy in between */
  }
  const body = typeof said === 'object' && said !== null ? (said as Record<string, unknown>) : {};
  const away = [502, 503, 504].includes(response.status);
  return new Problem({
    code: away ? 'unreachable' : 'unknown',
    retryable: away,
    tried: away && said === null, // by whatever sent it
    title: away ? '' : response.statusText,
    ...body,
    status: response.status,
    request_id: body.request_id ?? response.headers.get('X-Request-ID') ?? undefined,
    retryAfter: Number(response.headers.get('Retry-After')) || 0,
  });
}
