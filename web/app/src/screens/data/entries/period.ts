/** The filter of entries. */
export interface Filter {
  period: string;
  from: string;
  to: string;
}
export const periods = {
  all: undefined,
  week: '-6_DAY..0_DAY',
  month: '-29_DAY..0_DAY',
  quarter: '-89_DAY..0_DAY',
  year: '-364_DAY..0_DAY',
} as const;
export const everything: Filter = { period: 'all', from: '', to: '' };

// Dates are in the browser's zone, and the last one is included.
function instant(day: string, plus: number): string | undefined {
  const [y, m, d] = day.split('-').map(Number);
  if (!y || !m || !d) return undefined;
  const at = new Date(y, m - 1, d + plus);
  at.setFullYear(at.getFullYear() < 100 ? y : at.getFullYear());
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** The filter as the server's parameters. */
export function queryOf(filter: Filter): { period?: string; from?: string; until?: string } {
  if (filter.period === 'own') return { from: instant(filter.from, 0), until: instant(filter.to, 1) };
  const period = periods[filter.period as keyof typeof periods];
  return period ? { period } : {};
}

/** A local date, as in statistics, in seconds since 1970. */
export function secondsOfDay(day: string): number {
  const [y, m, d] = day.split('-').map(Number);
  return new Date(y ?? 1970, (m ?? 1) - 1, d ?? 1).getTime() / 1000;
}

export type Group = 'none' | 'day' | 'week' | 'month';
export const groups: Group[] = ['none', 'day', 'week', 'month'];
const maxGroups = 390; // the server returns up to 400 groups; the first and last day may be partial

/** The groupings of a span of days that do not exceed the limit of groups. */
export const groupsFor = (days: number): Group[] =>
  groups.filter((group) => group === 'none' || group === 'month' || days / (group === 'week' ? 7 : 1) <= maxGroups);
