// Which chats have something new: up to which event each was seen in this browser.
import { useSyncExternalStore } from 'react';
import type { Schemas } from '../../../api/client';

interface Seen {
  /** What happened before this browser first looked is not new. */
  since: number;
  chats: Record<string, number>;
}

const store = 'fermata.seen';
const most = 500;
const listeners = new Set<() => void>();
let seen = read();

function read(): Seen {
  try {
    const found = JSON.parse(localStorage.getItem(store) ?? 'null') as Seen | null;
    if (typeof found?.since === 'number' && typeof found.chats === 'object') return found;
  } catch {
    /* not ours */
  }
  const made = { since: Date.now(), chats: {} };
  keep(made);
  return made;
}

function keep(next: Seen): void {
  try {
    localStorage.setItem(store, JSON.stringify(next));
  } catch {
    /* it holds for this page then */
  }
}

function update(next: Seen): void {
  seen = next;
  for (const listener of listeners) listener();
}

globalThis.addEventListener?.('storage', (e) => {
  if (e.key === store) update(read());
});

/** The chat is in front of the person. */
export function markSeen(session: Pick<Schemas['Session'], 'id' | 'last_seq'>): void {
  if ((seen.chats[session.id] ?? 0) >= session.last_seq) return;
  const { [session.id]: _, ...others } = seen.chats;
  const rest = Object.entries(others).slice(0, most - 1);
  const next = { ...seen, chats: { [session.id]: session.last_seq, ...Object.fromEntries(rest) } };
  keep(next);
  update(next);
}

const subscribe = (changed: () => void) => {
  listeners.add(changed);
  return () => {
    listeners.delete(changed);
  };
};

/** Whether something came since the chat was last seen; not while it is still being written. */
export function useUnread(): (s: Schemas['Session']) => boolean {
  const now = useSyncExternalStore(subscribe, () => seen);
  return (s) =>
    s.status !== 'running' &&
    s.last_seq > (now.chats[s.id] ?? 0) &&
    (s.id in now.chats || Date.parse(s.last_event_time) > now.since);
}
