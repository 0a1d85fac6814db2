// Insights into usage: the largest costs, their causes, and possible changes.
import type { Schemas } from '../../api/client';
import { tokensOf, totalOf } from './sums';

type Row = Schemas['UsageSum'];

/** The model of the built-in demo: its calls are free, rather than of unknown price. */
export const demoModel = 'fermata-demo';

/** The kind of a call's cost: known, free, unknown, or zero because no model was reached. */
export type Price = 'known' | 'free' | 'unknown' | 'failed';

export function priceOf(model: Row): Price {
  if (model.key === demoModel) return 'free';
  if (model.key === '') return 'failed';
  return model.unpriced_calls > 0 ? 'unknown' : 'known';
}

/** The models without a known price, and their number of calls. */
export function unpriced(models: Row[]): { models: string[]; calls: number } {
  const rows = models.filter((row) => priceOf(row) === 'unknown');
  return { models: rows.map((row) => row.key), calls: rows.reduce((n, row) => n + row.unpriced_calls, 0) };
}

/** Whether all calls are free. */
export const allFree = (models: Row[]): boolean =>
  models.length > 0 &&
  models.every((row) => priceOf(row) === 'free' || priceOf(row) === 'failed') &&
  models.some((row) => priceOf(row) === 'free');

/** The relative change of a sum from the preceding period; null if that was empty. */
export const trendOf = (now: number, before: number): number | null => (before > 0 ? now / before - 1 : null);

export type Weight = 'cost' | 'tokens';

/** The largest part of a sum and its share: by cost if there is any, else by tokens. */
export function largest(rows: Row[]): { row: Row; share: number; by: Weight } | null {
  const by: Weight = totalOf(rows).cost > 0 ? 'cost' : 'tokens';
  const of = (row: Row) => (by === 'cost' ? (row.cost?.amount ?? 0) : tokensOf(row));
  const all = rows.reduce((sum, row) => sum + of(row), 0);
  const [row] = rows.toSorted((a, b) => of(b) - of(a));
  return row && all > 0 ? { row, share: of(row) / all, by } : null;
}

export type Advice = 'errors' | 'prices' | 'summaries' | 'cache' | 'automation';

/** The insights, most useful first. */
export function adviceOf(models: Row[], purposes: Row[], automations: Row[]): Advice[] {
  const sum = totalOf(models);
  const top = largest(automations);
  const summaries = purposes.find((row) => row.key === 'summary');
  const found: [Advice, boolean][] = [
    ['errors', sum.calls >= 5 && sum.errors / sum.calls > 0.1],
    ['prices', unpriced(models).calls > 0],
    ['automation', top !== null && top.row.key !== '' && top.share > 0.5],
    ['summaries', summaries !== undefined && sum.tokens > 0 && tokensOf(summaries) / sum.tokens > 0.2],
    ['cache', !allFree(models) && sum.input > 200_000 && sum.cached / sum.input < 0.1],
  ];
  return found.filter(([, holds]) => holds).map(([name]) => name);
}
