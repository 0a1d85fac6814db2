import { storageName } from '../../../api/base';
import type { Session } from '../store/sessionStore';
import type { IfBusy } from '../store/outbox';

/** The state in which a message would find the session: working, or waiting for the person. */
export type Mode = 'free' | 'busy' | 'wait';

export function modeOf(session: Session | null): Mode {
  if (!session || session.status === 'ended') return 'free';
  if (session.status === 'requires_action') return 'wait';
  if (session.phase === 'IDLE') return session.status === 'queued' ? 'busy' : 'free';
  return 'busy';
}

/** The delivery modes of a message; '' leaves the choice to the server. */
export const choices: Record<Mode, readonly (IfBusy | '')[]> = {
  free: [],
  busy: ['enqueue', 'steer', 'interrupt'],
  wait: ['', 'enqueue'],
};

const store = storageName('busy');

/** The person's last choice for a message to a busy session. */
export function chosenFor(mode: Mode): IfBusy | '' {
  let said: unknown;
  try {
    said = (JSON.parse(localStorage.getItem(store) ?? '{}') as Record<string, unknown>)[mode];
  } catch {
    /* missing or invalid */
  }
  return choices[mode].find((c) => c === said) ?? choices[mode][0] ?? '';
}

export function keepChoice(mode: Mode, choice: IfBusy | ''): void {
  try {
    const all = JSON.parse(localStorage.getItem(store) ?? '{}') as Record<string, string>;
    localStorage.setItem(store, JSON.stringify({ ...all, [mode]: choice }));
  } catch {
    /* then it applies to this page only */
  }
}
