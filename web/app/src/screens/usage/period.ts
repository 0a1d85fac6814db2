// The days of a workspace: in its time zone, beginning at its configured hour.
import { dayOf } from './sums';

export interface Place {
  zone: string;
  hour: number;
}

/** The instant at which clocks in a zone show this hour of this day. */
export function instantOf(day: string, { zone, hour }: Place): number {
  const wanted = new Date(`${day}T00:00:00Z`).getTime() + hour * 3_600_000;
  // The local time of an instant differs by the zone's offset, which may change that day.
  let at = wanted;
  for (let i = 0; i < 2; i++) at -= shownAt(at, zone) - wanted;
  return at;
}

function shownAt(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  }).formatToParts(at);
  const of = (type: string) => Number(parts.find((p) => p.type === type)?.value);
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
}

export const plusDays = (day: string, n: number): string =>
  new Date(new Date(`${day}T00:00:00Z`).getTime() + n * 86_400_000).toISOString().slice(0, 10);

/** The start of the current day or month, for `since`. */
export function startOfDay(now: number, place: Place, unit: 'day' | 'month'): string {
  const today = dayOf(now, place.zone, place.hour);
  return new Date(instantOf(unit === 'month' ? `${today.slice(0, 8)}01` : today, place)).toISOString();
}

/** The last n days, oldest first, and when the first of them began. */
export function lastDays(now: number, place: Place, n: number): { days: string[]; since: string } {
  const today = dayOf(now, place.zone, place.hour);
  const days = Array.from({ length: n }, (_, i) => plusDays(today, i - n + 1));
  return { days, since: new Date(instantOf(days[0]!, place)).toISOString() };
}
