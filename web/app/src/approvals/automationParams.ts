// What CREATE_AUTOMATION is given, as the schedule's form holds it.
import type { FieldError } from '../api/problem';
import { scheduleOf, takesStart, whenOf, type Schedule, type When } from '../schedule/schedule';
import { isFields, type Fields } from '../ui/schemaform/types';

export const createAutomation = 'CREATE_AUTOMATION';

const word = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
const given = (params: Fields): Fields => (isFields(params.schedule) ? params.schedule : {});

/** The schedule that the params name, on the workspace's clock where they name no other; null while
 * something of it is missing. */
export function scheduleIn(params: Fields, clock: string | undefined): Schedule | null {
  const { type, expression, time_zone, starts_at } = given(params);
  const zone = word(time_zone) || clock;
  if (!word(type) || !word(expression) || !zone) return null;
  return {
    type: word(type) as Schedule['type'],
    expression: word(expression),
    time_zone: zone,
    ...(word(starts_at) ? { starts_at: word(starts_at) } : {}),
  };
}

/** Whether the params say when the schedule begins: then its form lets one change that. */
export const namesStart = (params: Fields): boolean => word(given(params).starts_at) !== '';

export const whenIn = (params: Fields, clock: string): When =>
  whenOf(
    scheduleIn(params, clock) ?? { type: 'cron', expression: word(given(params).expression), time_zone: clock },
    clock,
  );

/** The params with another schedule. One that is not complete yet has no expression, which no
 * schema lets pass. What the AI left out stays left out where it comes to the same. */
export function withWhen(params: Fields, when: When, complete: boolean, clock: string): Fields {
  const before = given(params);
  const schedule = scheduleOf(when) ?? { type: 'cron' as const, expression: '', time_zone: when.zone };
  const { starts_at: _, ...rest } = schedule;
  const begins = when.kind !== 'once' && (takesStart(when.kind) || namesStart(params)) ? when.startsAt : '';
  const next: Fields = { ...rest, ...(complete ? {} : { expression: '' }), ...(begins ? { starts_at: begins } : {}) };
  if (!word(before.time_zone) && when.zone === clock) delete next.time_zone;
  return { ...params, schedule: next };
}

/** The complaints of the server about the params of one action, as its form knows their places. */
export const errorsOf = (errors: FieldError[], at: string): FieldError[] =>
  errors.flatMap((e) => (e.pointer.startsWith(`${at}/`) ? [{ ...e, pointer: e.pointer.slice(at.length) }] : []));
