// The params of CREATE_AUTOMATION, as the schedule's form holds them.
import type { FieldError } from '../api/problem';
import { scheduleOf, takesStart, whenOf, type Schedule, type When } from '../schedule/schedule';
import { isFields, type Fields } from '../ui/schemaform/types';

export const createAutomation = 'CREATE_AUTOMATION';

const word = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
const given = (params: Fields): Fields => (isFields(params.schedule) ? params.schedule : {});

/** The schedule of the params, in the workspace's zone unless they name another; null while it is incomplete. */
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

/** Whether the params set the start of the schedule: then it can be edited in the form. */
export const namesStart = (params: Fields): boolean => word(given(params).starts_at) !== '';

export const whenIn = (params: Fields, clock: string): When =>
  whenOf(
    scheduleIn(params, clock) ?? { type: 'cron', expression: word(given(params).expression), time_zone: clock },
    clock,
  );

/** The params with another schedule. An incomplete one has no expression, which every schema rejects. What the AI
 * omitted stays omitted if that is equivalent. */
export function withWhen(params: Fields, when: When, complete: boolean, clock: string): Fields {
  const before = given(params);
  const schedule = scheduleOf(when) ?? { type: 'cron' as const, expression: '', time_zone: when.zone };
  const { starts_at: _, ...rest } = schedule;
  const begins = when.kind !== 'once' && (takesStart(when.kind) || namesStart(params)) ? when.startsAt : '';
  const next: Fields = { ...rest, ...(complete ? {} : { expression: '' }), ...(begins ? { starts_at: begins } : {}) };
  if (!word(before.time_zone) && when.zone === clock) delete next.time_zone;
  return { ...params, schedule: next };
}

/** The server's errors about the params of one action, with pointers into its form. */
export const errorsOf = (errors: FieldError[], at: string): FieldError[] =>
  errors.flatMap((e) => (e.pointer.startsWith(`${at}/`) ? [{ ...e, pointer: e.pointer.slice(at.length) }] : []));
