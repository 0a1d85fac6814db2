import { expect, it } from 'vitest';
import { everything, groupsFor, queryOf, secondsOfDay } from './period';

it('a filter is converted to the server’s parameters', () => {
  expect(queryOf(everything)).toEqual({});
  expect(queryOf({ ...everything, period: 'week' })).toEqual({ period: '-6_DAY..0_DAY' });
  const own = queryOf({ period: 'own', from: '2026-03-01', to: '2026-03-31' });
  expect(own).toEqual({ from: new Date(2026, 2, 1).toISOString(), until: new Date(2026, 3, 1).toISOString() });
  expect(queryOf({ period: 'own', from: '', to: 'x' })).toEqual({ from: undefined, until: undefined });
});

it('a date is its local midnight', () => {
  expect(secondsOfDay('2026-03-02')).toBe(new Date(2026, 2, 2).getTime() / 1000);
});

it('a long span is not grouped by day', () => {
  expect(groupsFor(30)).toEqual(['none', 'day', 'week', 'month']);
  expect(groupsFor(416)).toEqual(['none', 'week', 'month']);
  expect(groupsFor(9000)).toEqual(['none', 'month']);
});
