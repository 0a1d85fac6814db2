import { expect, test } from 'vitest';
import { daysOf } from './days';
import type { Item } from './items';

const said = (timestamp: string) => ({ kind: 'message', key: timestamp, message: { timestamp } }) as unknown as Item;

test('each date is shown once, above its first item', () => {
  const items = [
    said('2026-11-21T10:00:00Z'),
    said('2026-11-21T11:00:00Z'),
    { kind: 'live', key: 'x' } as Item,
    said('2026-11-22T12:00:00Z'),
    said('2026-11-21T11:30:00Z'), // a clock that was set back
    said('2026-11-22T13:00:00Z'),
  ];
  expect([...daysOf(items).keys()]).toEqual([0, 3]);
});
