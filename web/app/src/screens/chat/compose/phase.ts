// What a session does in plain words: one of five, and what it means just now.
import type { Approval, Session } from '../store/sessionStore';

export type Does = 'prepares' | 'thinks' | 'acts' | 'waits' | 'pauses' | 'ended';

const doing: Record<string, Does> = {
  EXECUTING_ENRICHMENTS: 'prepares',
  COMPACTING_CONTEXT: 'prepares',
  AWAITING_SESSION_CLOSURE: 'prepares',
  CALLING_AI: 'thinks',
  PARSING_AI_RESPONSE: 'thinks',
  RETRYING_AFTER_FORMAT_ERROR: 'thinks',
  RETRYING_AFTER_ACTION_FAILURE: 'thinks',
  EXECUTING_DATA_QUERIES: 'acts',
  EXECUTING_ACTIONS: 'acts',
  WAITING_VALIDATION: 'waits',
  WAITING_COMMUNICATION_RESPONSE: 'waits',
  WAITING_BUDGET: 'waits',
  WAITING_COMPLETION_CONFIRMATION: 'waits',
  WAITING_EXTERNAL_RESULT: 'pauses',
  WAITING_NETWORK_RETRY: 'pauses',
  COMPLETED: 'ended',
};

export interface Standing {
  does: Does;
  at: string;
}

/** Where a session stands; null when it rests. `at` is the key of the detail's words. */
export function standing(session: Session, live: { writes: boolean; command: boolean }): Standing | null {
  if (session.status === 'ended' || session.phase === 'COMPLETED')
    return { does: 'ended', at: `end.${session.end_reason ?? 'other'}` };
  if (session.status === 'queued') return { does: 'pauses', at: session.queue_position ? 'at.queued' : 'at.queued.0' };
  if (session.status === 'suspended') return { does: 'pauses', at: 'at.suspended' };
  if (session.phase === 'IDLE') return null;
  if (session.phase === 'WAITING_COMPLETION_CONFIRMATION' && session.status === 'waiting')
    return { does: 'pauses', at: 'at.WAITING_COMPLETION_TIMER' };
  if (session.phase === 'CALLING_AI' && live.command) return { does: 'thinks', at: 'at.command' };
  if (session.phase === 'CALLING_AI' && live.writes) return { does: 'thinks', at: 'at.writes' };
  const does = doing[session.phase];
  return does ? { does, at: `at.${session.phase}` } : { does: 'acts', at: 'at.other' };
}

export interface Deadline {
  kind: 'retry' | 'expires' | 'confirm' | 'closes';
  at: number;
}

/** What comes next by itself, and when. */
export function deadlineOf(session: Session, open: Approval[]): Deadline | null {
  const at = Date.parse(session.waiting_context?.at ?? '');
  if (session.status !== 'queued' && session.status !== 'suspended' && !Number.isNaN(at)) {
    if (session.phase === 'WAITING_NETWORK_RETRY') return { kind: 'retry', at };
    if (session.phase === 'WAITING_COMPLETION_CONFIRMATION' && session.status === 'waiting')
      return { kind: 'confirm', at };
    if (session.phase === 'AWAITING_SESSION_CLOSURE') return { kind: 'closes', at };
  }
  const expiry = open.map((a) => Date.parse(a.expires_at ?? '')).filter((x) => !Number.isNaN(x));
  return expiry.length ? { kind: 'expires', at: Math.min(...expiry) } : null;
}
