// What usage means: what cost most, why, and what could be changed.
import type { Schemas } from '../../api/client';
import { tokensOf, totalOf } from './sums';

type Row = Schemas['UsageSum'];

/** The model of the built-in demo: its calls are free, not of an unknown price. */
export const demoModel = 'fermata-demo';

/** What a call of a model costs: known, nothing, unknown, or nothing because no model was reached. */
export type Price = 'known' | 'free' | 'unknown' | 'failed';

export function priceOf(model: Row): Price {
  if (model.key === demoModel) return 'free';
  if (model.key === '') return 'failed';
  return model.unpriced_calls > 0 ? 'unknown' : 'known';
}

/** The models whose price nobody knows, and how many calls they had. */
export function unpriced(models: Row[]): { models: string[]; calls: number } {
  const rows = models.filter((row) => priceOf(row) === 'unknown');
  return { models: rows.map((row) => row.key), calls: rows.reduce((n, row) => n + row.unpriced_calls, 0) };
}

/** Whether everything that was called is free. */
export const allFree = (models: Row[]): boolean =>
  models.length > 0 &&
  models.every((row) => priceOf(row) === 'free' || priceOf(row) === 'failed') &&
  models.some((row) => priceOf(row) === 'free');

/** By how much a sum differs from the one of the time before; null where nothing was before. */
export const trendOf = (now: number, before: number): number | null => (before > 0 ? now / before - 1 : null);

export type Weight = 'cost' | 'tokens';

/** The largest part of a sum and its share: in money where there is some, else in tokens. */
export function largest(rows: Row[]): { row: Row; share: number; by: Weight } | null {
  const by: Weight = totalOf(rows).cost > 0 ? 'cost' : 'tokens';
  const of = (row: Row) => (by === 'cost' ? (row.cost?.amount ?? 0) : tokensOf(row));
  const all = rows.reduce((sum, row) => sum + of(row), 0);
  const [row] = rows.toSorted((a, b) => of(b) - of(a));
  return row && all > 0 ? { row, share: of(row) / all, by } : null;
}

export type Advice = 'errors' | 'prices' | 'summaries' | 'cache' | 'automation';

/** What is worth a look, the most useful first. */
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
