import type { Session } from '../store/sessionStore';
import type { IfBusy } from '../store/outbox';

/** What a message would meet now: a session at work, or one that waits for the person. */
export type Mode = 'free' | 'busy' | 'wait';

export function modeOf(session: Session | null): Mode {
  if (!session || session.status === 'ended') return 'free';
  if (session.status === 'requires_action') return 'wait';
  if (session.phase === 'IDLE') return session.status === 'queued' ? 'busy' : 'free';
  return 'busy';
}

/** What can be chosen for a message; '' lets the server do what it does by itself. */
export const choices: Record<Mode, readonly (IfBusy | '')[]> = {
  free: [],
  busy: ['enqueue', 'steer', 'interrupt'],
  wait: ['', 'enqueue'],
};
