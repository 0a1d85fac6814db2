// The periods offered for a reference, in the API's notation.
export const periods = {
  none: undefined,
  today: { relative: '0_DAY' },
  yesterday: { relative: '-1_DAY' },
  week: { relative: '0_WEEK' },
  lastweek: { relative: '-1_WEEK' },
  days7: { from: '-6_DAY', to: '0_DAY' },
  days30: { from: '-29_DAY', to: '0_DAY' },
  month: { relative: '0_MONTH' },
  lastmonth: { relative: '-1_MONTH' },
  year: { relative: '0_YEAR' },
} as const;

export type PeriodName = keyof typeof periods;
export const periodNames = Object.keys(periods) as PeriodName[];

/** The name of a period, or "other" if it is not one of those offered. */
export function nameOfPeriod(period: unknown): PeriodName | 'other' {
  const said = JSON.stringify(period);
  return periodNames.find((name) => JSON.stringify(periods[name]) === said) ?? 'other';
}
