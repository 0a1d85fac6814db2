import { describe, expect, it } from 'vitest';
import { newWhen } from '../schedule/schedule';
import { errorsOf, scheduleIn, whenIn, withWhen } from './automationParams';

const clock = 'Europe/Paris';
const asked = (schedule: Record<string, unknown>) => ({ name: 'Week', request: 'Sum it up', schedule });
const monday = asked({ type: 'cron', expression: '0 8 * * 1' });

describe('the schedule of an automation that the AI proposes', () => {
  it('is in the workspace’s zone if it names no other', () => {
    expect(scheduleIn(monday, clock)).toEqual({ type: 'cron', expression: '0 8 * * 1', time_zone: clock });
    expect(scheduleIn(monday, undefined)).toBeNull();
    expect(scheduleIn(asked({ type: 'cron', expression: ' ' }), clock)).toBeNull();
    expect(scheduleIn({ name: 'Week' }, clock)).toBeNull();
  });

  it('is a simple choice, or else an expression', () => {
    expect(whenIn(monday, clock)).toMatchObject({ kind: 'weekly', days: [1], time: '08:00', zone: clock });
    expect(whenIn(asked({ type: 'cron', expression: '0 8 * * 1-5' }), clock).days).toEqual([1, 2, 3, 4, 5]);
    expect(whenIn(asked({ type: 'interval', expression: '36h' }), clock)).toMatchObject({
      kind: 'every',
      every: '36',
      unit: 'h',
    });
    expect(whenIn(asked({ type: 'rrule', expression: 'FREQ=WEEKLY;INTERVAL=2' }), clock).kind).toBe('rrule');
    expect(whenIn(asked({ type: 'cron', expression: '*/5 8 * * 1' }), clock).kind).toBe('cron');
  });

  it('omits what was omitted', () => {
    const when = { ...whenIn(monday, clock), days: [2], time: '07:30' };
    expect(withWhen(monday, when, true, clock)).toEqual(asked({ type: 'cron', expression: '30 7 * * 2' }));
    expect(withWhen(monday, { ...when, zone: 'UTC' }, true, clock)).toEqual(
      asked({ type: 'cron', expression: '30 7 * * 2', time_zone: 'UTC' }),
    );
    const named = asked({ type: 'cron', expression: '0 8 * * 1', time_zone: clock });
    expect(withWhen(named, when, true, clock).schedule).toHaveProperty('time_zone', clock);
  });

  it('keeps its start, unless that is emptied or it runs once', () => {
    const later = asked({ type: 'cron', expression: '0 8 * * *', starts_at: '2026-12-01T00:00:00' });
    const when = { ...whenIn(later, clock), time: '09:00' };
    expect(withWhen(later, when, true, clock).schedule).toHaveProperty('starts_at', '2026-12-01T00:00:00');
    expect(withWhen(later, { ...when, startsAt: '' }, true, clock).schedule).not.toHaveProperty('starts_at');
    const once = { ...when, kind: 'once' as const, at: '2026-12-24T08:00' };
    expect(withWhen(later, once, true, clock).schedule).toEqual({ type: 'once', expression: '2026-12-24T08:00' });
  });

  it('has no expression while it is incomplete', () => {
    const when = { ...newWhen(clock), kind: 'weekly' as const, days: [] };
    expect(withWhen(monday, when, false, clock)).toEqual(asked({ type: 'cron', expression: '' }));
  });
});

it('the server’s errors are those of one action', () => {
  const said = (pointer: string) => ({ pointer, code: 'cron', message: 'no' });
  expect(
    errorsOf([said('/edits/a/schedule/expression'), said('/edits/ab/name'), said('/edits/a')], '/edits/a'),
  ).toEqual([said('/schedule/expression')]);
});
