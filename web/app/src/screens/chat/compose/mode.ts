import { storageName } from '../../../api/base';
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

const store = storageName('busy');

/** What a person chose last for a message that meets a busy session. */
export function chosenFor(mode: Mode): IfBusy | '' {
  let said: unknown;
  try {
    said = (JSON.parse(localStorage.getItem(store) ?? '{}') as Record<string, unknown>)[mode];
  } catch {
    /* nothing, or not ours */
  }
  return choices[mode].find((c) => c === said) ?? choices[mode][0] ?? '';
}

export function keepChoice(mode: Mode, choice: IfBusy | ''): void {
  try {
    const all = JSON.parse(localStorage.getItem(store) ?? '{}') as Record<string, string>;
    localStorage.setItem(store, JSON.stringify({ ...all, [mode]: choice }));
  } catch {
    /* it holds for this page then */
  }
}
