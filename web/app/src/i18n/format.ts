// Numbers, money, times and durations in the page's language.
import { getLang, type Lang } from './lang';
import { useLang } from './texts';

// The browser's regional variant of the language (en-GB, fr-CA) determines date formats.
const localeOf = (lang: Lang) =>
  (globalThis.navigator?.languages ?? []).find((l) => l.toLowerCase().startsWith(lang)) ?? lang;

const made = new Map<string, unknown>();
function once<T>(key: string, make: () => T): T {
  if (!made.has(key)) made.set(key, make());
  return made.get(key) as T;
}

export interface Format {
  number(n: number, digits?: number): string;
  /** An ordinal: "12th"; in French feminine: "12e", "1re". */
  ordinal(n: number): string;
  percent(part: number): string;
  /** An amount of the server, a decimal in a string; small ones keep their digits. */
  money(amount: string | number, currency: string): string;
  /** The standard form of an instant: "07:30" today, "tomorrow 07:30", "Fri 07:30" within the next week, else with
   * its date. */
  time(iso: string | number | Date, zone?: string, now?: number): string;
  /** Time of day to the second. */
  clock(iso: string | number | Date, zone?: string): string;
  date(iso: string | number | Date, zone?: string): string;
  /** Date, time and zone, for a tooltip. */
  full(iso: string | number | Date, zone?: string): string;
  /** "in 3 minutes", "2 days ago". Days are calendar days: at noon, forty hours from now is not "tomorrow". */
  relative(iso: string | number | Date, now?: number, zone?: string): string;
  /** Milliseconds: "850 ms", "12.4 s", "3 min 5 s", "2 h 10 min". */
  duration(ms: number): string;
  bytes(n: number): string;
  list(items: string[]): string;
}

const ms = (at: string | number | Date) => (typeof at === 'number' ? at : new Date(at).getTime());

// dayNumber numbers the calendar days in a zone.
const dayNumber = (at: number, timeZone?: string) =>
  Date.parse(
    once(
      `day:${timeZone ?? ''}`,
      () => new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit', timeZone }),
    ).format(at),
  ) / 86_400_000;

function formatOf(lang: Lang): Format {
  const locale = localeOf(lang);
  const nb = (name: string, options: Intl.NumberFormatOptions) =>
    once(`${locale}:n:${name}`, () => new Intl.NumberFormat(locale, options));
  const dt = (name: string, options: Intl.DateTimeFormatOptions) =>
    once(`${locale}:d:${name}`, () => new Intl.DateTimeFormat(locale, options));
  const dated = (at: string | number | Date, name: string, options: Intl.DateTimeFormatOptions) => {
    const t = ms(at);
    return Number.isNaN(t) ? '' : dt(`${name}:${options.timeZone ?? ''}`, options).format(t);
  };
  const daysAway = (n: number) =>
    once(`${locale}:r`, () => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })).format(n, 'day');
  const unit = (n: number, u: string, digits = 0) =>
    nb(`${u}:${digits}`, {
      style: 'unit',
      unit: u,
      unitDisplay: u === 'minute' || u === 'hour' || u === 'second' || u === 'day' ? 'narrow' : 'short',
      maximumFractionDigits: digits,
    }).format(n);
  return {
    number: (n, digits = 2) => nb(`plain${digits}`, { maximumFractionDigits: digits }).format(n),
    ordinal(n) {
      const ends = lang === 'fr' ? { one: 're', other: 'e' } : { one: 'st', two: 'nd', few: 'rd', other: 'th' };
      const rule = once(`${lang}:o`, () => new Intl.PluralRules(lang, { type: 'ordinal' })).select(n);
      return `${nb('plain0', { maximumFractionDigits: 0 }).format(n)}${(ends as Record<string, string>)[rule] ?? ends.other}`;
    },
    percent: (part) => nb('percent', { style: 'percent', maximumFractionDigits: 0 }).format(part),
    money(amount, currency) {
      const n = Number(amount);
      const digits = n === 0 || Math.abs(n) >= 0.1 ? 2 : 5;
      return nb(`money${currency}${digits}`, {
        style: 'currency',
        currency,
        minimumFractionDigits: 2,
        maximumFractionDigits: digits,
      }).format(n);
    },
    time(iso, timeZone, now = Date.now()) {
      const at = ms(iso);
      if (Number.isNaN(at)) return '';
      const clock = dated(at, 'hm', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone });
      const days = dayNumber(at, timeZone) - dayNumber(now, timeZone);
      if (days === 0) return clock;
      if (Math.abs(days) === 1) return `${daysAway(days)} ${clock}`;
      if (days > 0 && days < 7) return `${dated(at, 'weekday', { weekday: 'short', timeZone })} ${clock}`;
      const near = Math.abs(days) < 180;
      const day = near
        ? dated(at, 'dm', { day: 'numeric', month: 'short', timeZone })
        : dated(at, 'dmy', { day: 'numeric', month: 'short', year: 'numeric', timeZone });
      return `${day} ${clock}`;
    },
    clock: (iso, timeZone) =>
      dated(iso, 'clock', {
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
        hourCycle: 'h23',
        timeZone,
      }),
    date: (iso, timeZone) => dated(iso, 'date', { dateStyle: 'medium', timeZone }),
    full: (iso, timeZone) =>
      dated(iso, 'full', {
        weekday: 'short',
        year: 'numeric',
        month: 'short',
        day: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
        hourCycle: 'h23',
        timeZoneName: 'short',
        timeZone,
      }),
    relative(iso, now = Date.now(), timeZone) {
      const seconds = (ms(iso) - now) / 1000;
      if (Number.isNaN(seconds)) return '';
      const steps: [Intl.RelativeTimeFormatUnit, number][] = [
        ['day', 86400],
        ['hour', 3600],
        ['minute', 60],
        ['second', 1],
      ];
      const [name, size] = steps.find(([, s]) => Math.abs(seconds) >= s) ?? ['second', 1];
      const n = name === 'day' ? dayNumber(ms(iso), timeZone) - dayNumber(now, timeZone) : Math.trunc(seconds / size);
      return once(`${locale}:r`, () => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })).format(n, name);
    },
    duration(length) {
      if (length < 1000) return unit(Math.round(length), 'millisecond');
      if (length < 60_000) return unit(length / 1000, 'second', length < 10_000 ? 1 : 0);
      const minutes = Math.floor(length / 60_000);
      if (minutes < 60) return `${unit(minutes, 'minute')} ${unit(Math.floor((length % 60_000) / 1000), 'second')}`;
      if (minutes < 1440) return `${unit(Math.floor(minutes / 60), 'hour')} ${unit(minutes % 60, 'minute')}`;
      return `${unit(Math.floor(minutes / 1440), 'day')} ${unit(Math.floor((minutes % 1440) / 60), 'hour')}`;
    },
    bytes: (n) => {
      // The short form has no plural in English: 22 byte.
      if (n < 1000) return nb('byte', { style: 'unit', unit: 'byte', unitDisplay: 'long' }).format(n);
      return n < 1_000_000 ? unit(n / 1000, 'kilobyte', 1) : unit(n / 1_000_000, 'megabyte', 1);
    },
    list: (items) => once(`${locale}:l`, () => new Intl.ListFormat(locale)).format(items),
  };
}

export const format = (lang: Lang = getLang()): Format => once(`format:${localeOf(lang)}`, () => formatOf(lang));
export const useFormat = (): Format => format(useLang());
