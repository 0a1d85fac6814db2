import { expect, test } from 'vitest';
import type { Schemas } from '../../../api/client';
import { groupsOf } from './groups';

const chat = (id: string, at: string, more: Partial<Schemas['Session']> = {}) =>
  ({ id, last_event_time: at, status: 'idle', pinned: false, ...more }) as Schemas['Session'];

test('what needs the person comes first, then what is pinned, then day by day', () => {
  const now = new Date('2026-11-23T12:00:00').getTime();
  const at = (day: string) => new Date(`${day}T10:00:00`).toISOString();
  const groups = groupsOf(
    [
      chat('old', at('2026-09-02')),
      chat('older', at('2026-08-02')),
      chat('today', at('2026-11-23')),
      chat('asks', at('2026-10-01'), { status: 'requires_action', pinned: true }),
      chat('kept', at('2026-01-01'), { pinned: true }),
      chat('friday', at('2026-11-20')),
      chat('sunday', at('2026-11-22')),
    ],
    now,
  );
  expect(groups.map((g) => [g.key, ...g.sessions.map((s) => s.id)])).toEqual([
    ['needs', 'asks'],
    ['pinned', 'kept'],
    ['today', 'today'],
    ['yesterday', 'sunday'],
    ['week', 'friday'],
    ['2026-09', 'old'],
    ['2026-08', 'older'],
  ]);
});
