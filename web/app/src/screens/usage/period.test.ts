import { describe, expect, it } from 'vitest';
import { instantOf, lastDays, startOfDay } from './period';

const iso = (ms: number) => new Date(ms).toISOString();

describe('days of a workspace', () => {
  it('begin in its time zone, also on the days when clocks change', () => {
    expect(iso(instantOf('2026-01-15', { zone: 'Europe/Paris', hour: 0 }))).toBe('2026-01-14T23:00:00.000Z');
    // Summer time since 1:00 UTC.
    expect(iso(instantOf('2026-03-29', { zone: 'Europe/Paris', hour: 4 }))).toBe('2026-03-29T02:00:00.000Z');
    expect(iso(instantOf('2026-10-25', { zone: 'Europe/Paris', hour: 4 }))).toBe('2026-10-25T03:00:00.000Z');
    expect(iso(instantOf('2026-05-01', { zone: 'Asia/Kolkata', hour: 0 }))).toBe('2026-04-30T18:30:00.000Z');
  });

  it('and months too', () => {
    const now = new Date('2026-03-01T02:00:00Z').getTime();
    expect(startOfDay(now, { zone: 'UTC', hour: 4 }, 'day')).toBe('2026-02-28T04:00:00.000Z');
    expect(startOfDay(now, { zone: 'UTC', hour: 4 }, 'month')).toBe('2026-02-01T04:00:00.000Z');
  });

  it('are counted backwards from today', () => {
    const { days, since } = lastDays(new Date('2026-03-02T12:00:00Z').getTime(), { zone: 'UTC', hour: 0 }, 3);
    expect(days).toEqual(['2026-02-28', '2026-03-01', '2026-03-02']);
    expect(since).toBe('2026-02-28T00:00:00.000Z');
  });
});
