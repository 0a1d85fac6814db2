// Why the AI did not answer, from the record.
import type { Message } from './sessionStore';

export interface Failure {
  /** The key of its text, `down.…`. */
  code: string;
  /** The provider's own message. */
  detail: string;
  /** When the provider may be called again, in milliseconds; null: unknown. */
  retryAt: number | null;
  provider: string | null;
}

const failed = /\b(HTTP )?5\d\d\b|internal server error|bad gateway/i;

/** The failure that a message reports; null for all other messages. */
export function failureOf({ system_message: said }: Message): Failure | null {
  if (said?.type !== 'NETWORK_ERROR') return null;
  const detail = said.detail ?? '';
  const retryAt = Date.parse(said.retry_at ?? '');
  const known = said.code ?? 'provider_network';
  return {
    code: known === 'provider_network' && failed.test(detail) ? 'provider_failed' : known, // it responded with an error
    detail,
    retryAt: Number.isNaN(retryAt) ? null : retryAt,
    provider: said.provider_id ?? null,
  };
}

const most = 5; // consecutive automatic retries

/** When the last question is retried automatically, in milliseconds; null: never. After too many consecutive failures
 * a person decides. */
export function retriesAt(placed: readonly Message[]): number | null {
  const last = placed.at(-1);
  const failure = last && failureOf(last);
  if (!failure || failure.retryAt === null) return null;
  const before = placed.slice(-most - 1).filter((m) => m.system_message?.type === 'NETWORK_ERROR');
  return before.length > most ? null : failure.retryAt;
}

/** Whether an answer is incomplete: `stopped` by a person, or `cut`; null: complete. */
export function partOf(m: Message): 'stopped' | 'cut' | null {
  if (m.sender !== 'AI') return null;
  if (m.ai_message?.stop_reason) return 'cut';
  return m.status === 'interrupted' ? 'stopped' : null;
}

/** The partial answer that a failure cut; null if there is none. */
export function cutBy(message: Message, placed: readonly Message[]): Message | null {
  const before = placed[placed.findIndex((m) => m.id === message.id) - 1];
  return failureOf(message) && before && partOf(before) === 'cut' ? before : null;
}

/** The text key of a failure, `down.…`: a connection lost in the middle of an answer is distinguished from one that
 * was never made. */
export function codeOf(message: Message, placed: readonly Message[]): string {
  const code = failureOf(message)?.code ?? '';
  return code === 'provider_network' && cutBy(message, placed) ? 'cut' : code;
}

/** The failure that ended the last round without an answer, so that it can be retried. */
export function brokenBy(placed: readonly Message[]): 'NETWORK_ERROR' | 'LIMIT_REACHED' | 'STOPPED' | null {
  const last = placed.at(-1);
  const type = last?.system_message?.type;
  if (type === 'NETWORK_ERROR' || type === 'LIMIT_REACHED') return type;
  return last?.sender === 'USER' && last.rich_content && last.status !== 'superseded' ? 'STOPPED' : null;
}
