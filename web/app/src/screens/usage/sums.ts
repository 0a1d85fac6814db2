// Sums of usage, by day.
import type { Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';

type Row = Schemas['UsageSum'];

export interface Total {
  calls: number;
  errors: number;
  unpriced_calls: number;
  input: number;
  cached: number;
  /** Estimated tokens of prompts, and how many of them begin like the prompt before. */
  prompted: number;
  reused: number;
  output: number;
  tokens: number;
  cost: number;
}

/** The sum of these rows. `tokens` is all of them, `cached` those read from a cache. */
export function totalOf(rows: Row[]): Total {
  const sum: Total = {
    calls: 0,
    errors: 0,
    unpriced_calls: 0,
    input: 0,
    cached: 0,
    prompted: 0,
    reused: 0,
    output: 0,
    tokens: 0,
    cost: 0,
  };
  for (const row of rows) {
    sum.calls += row.calls;
    sum.errors += row.errors;
    sum.unpriced_calls += row.unpriced_calls;
    sum.input += row.input_tokens + row.cache_read_tokens + row.cache_write_tokens;
    sum.cached += row.cache_read_tokens;
    sum.prompted += row.prompt_tokens;
    sum.reused += row.prompt_reused_tokens;
    sum.output += row.output_tokens;
    sum.tokens += tokensOf(row);
    sum.cost += row.cost?.amount ?? 0;
  }
  return sum;
}

export const tokensOf = (row: Row) =>
  row.input_tokens + row.cache_read_tokens + row.cache_write_tokens + row.output_tokens;

/** The day (2026-01-31) of an instant, if days begin at startHour. */
export function dayOf(at: number, zone: string, startHour: number): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const of = (type: string) => Number(parts.find((p) => p.type === type)?.value);
  const day = new Date(Date.UTC(of('year'), of('month') - 1, of('day')));
  if (of('hour') < startHour) day.setUTCDate(day.getUTCDate() - 1);
  return day.toISOString().slice(0, 10);
}

export type Measure = 'cost' | 'tokens' | 'calls';
export const measured = (sum: Total, measure: Measure): number => sum[measure];

/** Formats an amount of a measure. */
export function useMeasure(measure: Measure): (n: number) => string {
  const f = useFormat();
  return (n) => (measure === 'cost' ? f.money(n, 'USD') : f.number(n));
}
