// Which chats have something new: how many answers of each were seen in this browser.
import { useSyncExternalStore } from 'react';
import { storageName } from '../../../api/base';
import type { Schemas } from '../../../api/client';

type Session = Pick<Schemas['Session'], 'id' | 'total_roundtrips' | 'created_at' | 'status'>;

interface Seen {
  /** A chat that was there before this browser first looked is known. */
  since: number;
  chats: Record<string, number>;
}

const store = storageName('seen');
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
export function markSeen(session: Session): void {
  if ((seen.chats[session.id] ?? -1) >= session.total_roundtrips) return;
  put([[session.id, session.total_roundtrips]]);
}

/** Chats that are listed for the first time: what stood in them before is not new. */
export function meet(sessions: readonly Session[]): void {
  const strangers = sessions.filter((s) => !(s.id in seen.chats) && Date.parse(s.created_at) <= seen.since);
  if (strangers.length) put(strangers.map((s) => [s.id, s.total_roundtrips]));
}

function put(chats: [string, number][]): void {
  const known = Object.fromEntries(chats);
  const rest = Object.entries(seen.chats).filter(([id]) => !(id in known));
  const next = { ...seen, chats: Object.fromEntries([...chats, ...rest].slice(0, most)) };
  keep(next);
  update(next);
}

const subscribe = (changed: () => void) => {
  listeners.add(changed);
  return () => {
    listeners.delete(changed);
  };
};

/** Whether an answer came since the chat was last seen; not while one is still being written. */
export function useUnread(): (s: Session) => boolean {
  const now = useSyncExternalStore(subscribe, () => seen);
  return (s) =>
    s.status !== 'running' &&
    s.total_roundtrips > (now.chats[s.id] ?? (Date.parse(s.created_at) > now.since ? 0 : Infinity));
}
