// A session's activity in plain words: one of five, with the current detail.
import { doing, type Does } from '../../../ui/phases';
import type { Approval, Session } from '../store/sessionStore';

const known: Partial<Record<string, Does>> = doing;

export interface Activity {
  does: Does;
  at: string;
}

/** The activity of a session; null at rest. `at` is the key of the detail's text. */
export function activityOf(session: Session, live: { writes: boolean; command: boolean }): Activity | null {
  if (session.status === 'ended' || session.phase === 'COMPLETED')
    return { does: 'ended', at: `end.${session.end_reason ?? 'other'}` };
  if (session.status === 'queued') return { does: 'pauses', at: session.queue_position ? 'at.queued' : 'at.queued.0' };
  if (session.status === 'suspended') return { does: 'pauses', at: 'at.suspended' };
  if (session.phase === 'IDLE') return null;
  if (session.phase === 'WAITING_COMPLETION_CONFIRMATION' && session.status === 'waiting')
    return { does: 'pauses', at: 'at.WAITING_COMPLETION_TIMER' };
  if (session.phase === 'CALLING_AI' && live.command) return { does: 'thinks', at: 'at.command' };
  if (session.phase === 'CALLING_AI' && live.writes) return { does: 'thinks', at: 'at.writes' };
  const does = known[session.phase]; // undefined for a phase of a newer server
  return does ? { does, at: `at.${session.phase}` } : { does: 'acts', at: 'at.other' };
}

export interface Deadline {
  kind: 'retry' | 'expires' | 'confirm' | 'closes';
  at: number;
}

/** The next automatic step, and its time. */
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
