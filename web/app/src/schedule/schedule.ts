// Schedules as the form has them, and as the server has them. Simple choices are stored as cron, an interval or one
// date; any other schedule is shown as an expression.
import type { Schemas } from '../api/client';

export type Schedule = Schemas['Schedule'];
export type Kind = 'none' | 'daily' | 'weekly' | 'monthly' | 'every' | 'once' | 'cron' | 'rrule';
export const plainKinds: readonly Kind[] = ['daily', 'weekly', 'every', 'monthly', 'once'];
/** For experts: a cron or RRULE expression. */
export const advancedKinds: readonly Kind[] = ['cron', 'rrule'];

/** The fields of the form, for all kinds of schedules. */
export interface When {
  kind: Kind;
  time: string; // "08:00"
  days: number[]; // 1 is Monday … 7 is Sunday
  monthDay: number;
  every: string; // as typed
  unit: 'm' | 'h' | 'd';
  at: string; // "2026-03-29T08:00", local
  expression: string; // of cron and rrule
  zone: string;
  startsAt: string;
}

export const workdays = [1, 2, 3, 4, 5];

export const newWhen = (zone: string): When => ({
  kind: 'daily',
  time: '08:00',
  days: [...workdays],
  monthDay: 1,
  every: '1',
  unit: 'h',
  at: '',
  expression: '',
  zone,
  startsAt: '',
});

const two = (n: number) => String(n).padStart(2, '0');
const clock = (time: string) => {
  const [h = 0, m = 0] = time.split(':').map(Number);
  return `${m} ${h}`;
};

function expressionOf(when: When): { type: Schedule['type']; expression: string } {
  switch (when.kind) {
    case 'daily':
      return { type: 'cron', expression: `${clock(when.time)} * * *` };
    case 'weekly':
      return { type: 'cron', expression: `${clock(when.time)} * * ${daysOf(when.days)}` };
    case 'monthly':
      return { type: 'cron', expression: `${clock(when.time)} ${when.monthDay} * *` };
    case 'every':
      return {
        type: 'interval',
        expression: when.unit === 'd' ? `${Number(when.every) * 24}h` : `${when.every.trim()}${when.unit}`,
      };
    case 'once':
      return { type: 'once', expression: when.at };
    case 'rrule':
      return { type: 'rrule', expression: when.expression.trim() };
    default:
      return { type: 'cron', expression: when.expression.trim() };
  }
}

const daysOf = (days: number[]) => {
  const sorted = days.toSorted((a, b) => a - b);
  if (sorted.join() === workdays.join()) return '1-5';
  return sorted.map((d) => d % 7).join(',');
};

/** The schedule that was chosen; null for none. */
export function scheduleOf(when: When): Schedule | null {
  if (when.kind === 'none') return null;
  const { startsAt: starts_at } = when;
  return { ...expressionOf(when), time_zone: when.zone, ...(starts_at && takesStart(when.kind) ? { starts_at } : {}) };
}

/** Whether a kind of schedule has a start. */
export const takesStart = (kind: Kind) => kind === 'every' || kind === 'rrule' || kind === 'cron';

/** What is missing before the server can preview it; null if nothing is. */
export function missing(when: When): 'time' | 'days' | 'every' | 'at' | 'expression' | null {
  if (['daily', 'weekly', 'monthly'].includes(when.kind) && !/^\d\d:\d\d/.test(when.time)) return 'time';
  if (when.kind === 'weekly' && when.days.length === 0) return 'days';
  if (when.kind === 'every' && !/^[1-9]\d{0,5}$/.test(when.every.trim())) return 'every';
  if (when.kind === 'once' && !when.at) return 'at';
  if ((when.kind === 'cron' || when.kind === 'rrule') && !when.expression.trim()) return 'expression';
  return null;
}

/** The form of a schedule that the server has. */
export function whenOf(schedule: Schedule | null, zone: string): When {
  const when = newWhen(schedule?.time_zone ?? zone);
  if (!schedule) return { ...when, kind: 'none' };
  when.startsAt = schedule.starts_at ?? '';
  const { type, expression } = schedule;
  if (type === 'rrule') return { ...when, kind: 'rrule', expression };
  if (type === 'once')
    return { ...when, kind: 'once', at: /^\d{4}-\d\d-\d\d$/.test(expression) ? `${expression}T00:00` : expression };
  if (type === 'interval') {
    const simple = /^([1-9]\d*)([mh])$/.exec(expression);
    if (simple?.[2] === 'h' && Number(simple[1]) % 24 === 0)
      return { ...when, kind: 'every', every: String(Number(simple[1]) / 24), unit: 'd' };
    if (simple) return { ...when, kind: 'every', every: simple[1]!, unit: simple[2] as 'm' | 'h' };
    const minutes = minutesOf(expression);
    return { ...when, kind: 'every', every: minutes ? String(minutes) : expression, unit: 'm' };
  }
  return { ...when, expression, ...simpleCron(numberedDays(expression)) };
}

// An interval in another notation: "1h30m", "PT90M". 0 when it is not in whole minutes.
function minutesOf(expression: string): number {
  const parts = /^(?:PT)?(?:(\d+)h)?(?:(\d+)m)?$/i.exec(expression.trim());
  return parts ? Number(parts[1] ?? 0) * 60 + Number(parts[2] ?? 0) : 0;
}

function simpleCron(expression: string): Partial<When> & { kind: Kind } {
  const simple = /^(\d{1,2}) (\d{1,2}) (\*|\d{1,2}) \* ([\d,*-]+)$/.exec(expression.trim());
  if (!simple) return { kind: 'cron' };
  const [, m, h, day, week] = simple;
  const time = `${two(Number(h))}:${two(Number(m))}`;
  if (Number(h) > 23 || Number(m) > 59) return { kind: 'cron' };
  if (day === '*' && week === '*') return { kind: 'daily', time };
  if (day === '*') {
    const days = week === '1-5' ? [...workdays] : week!.split(',').map((d) => (/^[0-7]$/.test(d) ? Number(d) || 7 : 0));
    return days.includes(0) ? { kind: 'cron' } : { kind: 'weekly', time, days };
  }
  return week === '*' ? { kind: 'monthly', time, monthDay: Number(day) } : { kind: 'cron' };
}

const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** A cron expression whose days are numbers: "mon-fri" is "1-5", "sat,sun" is "6,0", "1-3" is "1,2,3". */
export function numberedDays(expression: string): string {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== 5) return expression;
  const parts = fields[4]!.toLowerCase().split(',');
  const unknown = parts.some((part) => (part.match(/[a-z]+/g) ?? []).some((name) => !dayNames.includes(name)));
  if (unknown) return expression;
  const days = parts.map((part) => part.replaceAll(/[a-z]+/g, (name) => String(dayNames.indexOf(name))));
  const listed = days.map((part) => {
    const [, from, to] = /^(\d)-(\d)$/.exec(part) ?? [];
    if (!from || !to || part === '1-5' || Number(from) > Number(to)) return part;
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => Number(from) + i).join(',');
  });
  return [...fields.slice(0, 4), listed.join(',')].join(' ');
}

/** Whether two schedules are the same to the server. */
export const sameSchedule = (a: Schedule | null, b: Schedule | null) =>
  JSON.stringify(a && order(a)) === JSON.stringify(b && order(b));
const order = (s: Schedule) => [s.type, s.expression, s.time_zone, s.starts_at ?? ''];

export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** All time zones that the browser knows, those in question first among them if it does not. */
export function zones(...also: string[]): string[] {
  const known = Intl.supportedValuesOf('timeZone');
  return [...new Set([...also.filter(Boolean), 'UTC', ...known])].toSorted();
}
