// Which chats have unseen answers: the number of answers seen in this browser, by chat.
import { useSyncExternalStore } from 'react';
import { storageName } from '../../../api/base';
import type { Schemas } from '../../../api/client';

type Session = Pick<Schemas['Session'], 'id' | 'total_roundtrips' | 'created_at' | 'status'>;

interface Seen {
  /** A chat older than this browser's first visit counts as seen. */
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
    /* invalid */
  }
  const made = { since: Date.now(), chats: {} };
  keep(made);
  return made;
}

function keep(next: Seen): void {
  try {
    localStorage.setItem(store, JSON.stringify(next));
  } catch {
    /* then it applies to this page only */
  }
}

function update(next: Seen): void {
  seen = next;
  for (const listener of listeners) listener();
}

globalThis.addEventListener?.('storage', (e) => {
  if (e.key === store) update(read());
});

/** The chat is being viewed. */
export function markSeen(session: Session): void {
  if ((seen.chats[session.id] ?? -1) >= session.total_roundtrips) return;
  put([[session.id, session.total_roundtrips]]);
}

/** Chats that are listed for the first time: their existing answers are not new. */
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

/** Whether an answer arrived since the chat was last seen; false while one is still streaming. */
export function useUnread(): (s: Session) => boolean {
  const now = useSyncExternalStore(subscribe, () => seen);
  return (s) =>
    s.status !== 'running' &&
    s.total_roundtrips > (now.chats[s.id] ?? (Date.parse(s.created_at) > now.since ? 0 : Infinity));
}
