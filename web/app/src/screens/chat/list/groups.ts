// The chats in display order: those that need the person, pinned ones, then by day.
import type { Schemas } from '../../../api/client';
import { dayOf } from '../store/days';

type Session = Schemas['Session'];

export interface Group {
  /** `needs`, `pinned`, `today`, `yesterday`, `week`, or a month like `2026-10`. */
  key: string;
  sessions: Session[];
}

function groupOf(s: Session, now: number): string {
  if (s.status === 'requires_action') return 'needs';
  if (s.pinned) return 'pinned';
  const day = dayOf(s.last_event_time);
  const days = Math.round((Date.parse(dayOf(now)) - Date.parse(day)) / 86_400_000);
  if (days <= 0) return 'today';
  if (days === 1) return 'yesterday';
  return days < 7 ? 'week' : day.slice(0, 7);
}

const first = ['needs', 'pinned', 'today', 'yesterday', 'week'];

export function groupsOf(sessions: readonly Session[], now: number): Group[] {
  const groups = new Map<string, Session[]>();
  for (const s of sessions.toSorted((a, b) => b.last_event_time.localeCompare(a.last_event_time))) {
    const key = groupOf(s, now);
    groups.set(key, [...(groups.get(key) ?? []), s]);
  }
  const place = (key: string) => (first.includes(key) ? first.indexOf(key) : first.length);
  return [...groups]
    .map(([key, of]) => ({ key, sessions: of }))
    .toSorted((a, b) => place(a.key) - place(b.key) || b.key.localeCompare(a.key));
}
