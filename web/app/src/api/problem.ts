import { mistakeWords } from './inFrench';

/** One error in a request: its JSON pointer, code and text. */
export interface FieldError {
  pointer: string;
  code: string;
  message: string;
}

/** The text of the error at a pointer. */
export const errorAt = (errors: FieldError[], pointer: string): string | undefined =>
  errors.find((e) => e.pointer === pointer)?.message;

/** An error in the shape of RFC 9457, also for requests that never reached the server. */
export class Problem extends Error {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly requestID?: string;
  readonly retryable: boolean;
  readonly retryAfter: number; // seconds; 0 if unknown
  /** Whether the requested change took effect. */
  readonly outcome?: 'not_applied' | 'applied' | 'unknown';
  readonly errors: FieldError[];
  /** All other fields of the response, e.g. the current values after a conflict. */
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

/** Converts any thrown value to a Problem. */
export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  // A truncated response: the connection broke, or a proxy cut it.
  if (thrown instanceof SyntaxError) return new Problem({ code: 'unreachable', retryable: true });
  return new Problem({ code: 'page_error', detail: thrown instanceof Error ? thrown.message : String(thrown) });
}

/** Reads a response that is not 2xx; its body may come from a proxy. */
export async function problemOf(response: Response): Promise<Problem> {
  let said: unknown = null;
  try {
    said = JSON.parse(await response.text());
  } catch {
    /* not JSON: the response of a proxy */
  }
  const body = typeof said === 'object' && said !== null ? (said as Record<string, unknown>) : {};
  const away = [502, 503, 504].includes(response.status);
  return new Problem({
    code: away ? 'unreachable' : 'unknown',
    retryable: away,
    tried: away && said === null, // retried by the sender already
    title: away ? '' : response.statusText,
    ...body,
    status: response.status,
    request_id: body.request_id ?? response.headers.get('X-Request-ID') ?? undefined,
    retryAfter: Number(response.headers.get('Retry-After')) || 0,
  });
}
