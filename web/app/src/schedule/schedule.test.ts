import { describe, expect, it } from 'vitest';
import { missing, newWhen, numberedDays, scheduleOf, whenOf, zones, type Schedule, type When } from './schedule';

const zone = 'Europe/Paris';
const chosen = (part: Partial<When>) => scheduleOf({ ...newWhen(zone), ...part });

describe('what a person chooses', () => {
  it.each<[Partial<When>, Schedule | null]>([
    [{}, { type: 'cron', expression: '0 8 * * *', time_zone: zone }],
    [
      { kind: 'weekly', time: '07:30' },
      { type: 'cron', expression: '30 7 * * 1-5', time_zone: zone },
    ],
    [
      { kind: 'weekly', days: [7, 1] },
      { type: 'cron', expression: '0 8 * * 1,0', time_zone: zone },
    ],
    [
      { kind: 'monthly', monthDay: 31 },
      { type: 'cron', expression: '0 8 31 * *', time_zone: zone },
    ],
    [
      { kind: 'every', every: '15', unit: 'm' },
      { type: 'interval', expression: '15m', time_zone: zone },
    ],
    [
      { kind: 'every', every: '2', unit: 'd' },
      { type: 'interval', expression: '48h', time_zone: zone },
    ],
    [
      { kind: 'once', at: '2026-03-29T02:30' },
      { type: 'once', expression: '2026-03-29T02:30', time_zone: zone },
    ],
    [{ kind: 'none' }, null],
  ])('%j is %j, and is shown as it was chosen', (part, schedule) => {
    expect(chosen(part)).toEqual(schedule);
    const back = whenOf(schedule, zone);
    expect(scheduleOf(back)).toEqual(schedule);
    if (part.kind) expect(back.kind).toBe(part.kind);
  });

  it.each<[Schedule['type'], string, Partial<When>]>([
    ['cron', '@daily', { kind: 'cron', expression: '@daily' }],
    ['cron', '*/5 * * * *', { kind: 'cron' }],
    ['cron', '0 8 1 * 1', { kind: 'cron' }],
    ['cron', '0 8 31 2 *', { kind: 'cron' }],
    ['cron', '0 9 * * 0', { kind: 'weekly', days: [7] }],
    ['cron', '30 7 * * mon-fri', { kind: 'weekly', days: [1, 2, 3, 4, 5], time: '07:30' }],
    ['cron', '0 9 * * tue,SAT', { kind: 'weekly', days: [2, 6] }],
    ['cron', '0 9 * * fri-mon', { kind: 'cron', expression: '0 9 * * fri-mon' }],
    ['interval', 'PT90M', { kind: 'every', every: '90', unit: 'm' }],
    ['interval', '1h30m', { kind: 'every', every: '90', unit: 'm' }],
    ['once', '2026-03-29', { kind: 'once', at: '2026-03-29T00:00' }],
    ['rrule', 'FREQ=DAILY', { kind: 'rrule', expression: 'FREQ=DAILY' }],
  ])('%s %s of the server is read', (type, expression, want) => {
    expect(whenOf({ type, expression, time_zone: zone }, 'UTC')).toMatchObject({ ...want, zone });
  });

  it.each([
    ['30 7 * * mon-fri', '30 7 * * 1-5'],
    ['0 18 * * sun', '0 18 * * 0'],
    ['0 9 * * SAT,sun', '0 9 * * 6,0'],
    ['0 9 * * 1-3', '0 9 * * 1,2,3'],
    ['0 9 * * mon-wed,fri', '0 9 * * 1,2,3,5'],
    ['0 9 * * fri-mon', '0 9 * * 5-1'],
    ['0 9 * * day', '0 9 * * day'],
    ['0 9 1 jan *', '0 9 1 jan *'],
    ['@daily', '@daily'],
  ])('the days of %s are those of %s', (expression, want) => expect(numberedDays(expression)).toBe(want));

  it('says what is missing', () => {
    expect(missing(newWhen(zone))).toBeNull();
    expect(missing({ ...newWhen(zone), kind: 'weekly', days: [] })).toBe('days');
    expect(missing({ ...newWhen(zone), kind: 'every', every: '0' })).toBe('every');
    expect(missing({ ...newWhen(zone), kind: 'once' })).toBe('at');
    expect(missing({ ...newWhen(zone), kind: 'rrule' })).toBe('expression');
  });

  it('offers the zone in question, also when the browser does not know it', () => {
    expect(zones('Mars/Olympus')).toContain('Mars/Olympus');
    expect(zones()).toContain('UTC');
  });
});
