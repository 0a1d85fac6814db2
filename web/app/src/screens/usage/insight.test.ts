import { describe, expect, it } from 'vitest';
import type { Schemas } from '../../api/client';
import { adviceOf, allFree, largest, priceOf, trendOf, unpriced } from './insight';

type Row = Schemas['UsageSum'];
const row = (key: string, more: Partial<Row> = {}): Row => ({
  key,
  label: null,
  calls: 10,
  errors: 0,
  unpriced_calls: 0,
  input_tokens: 1000,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 100,
  reasoning_tokens: 0,
  cost: null,
  prompt_tokens: 0,
  prompt_reused_tokens: 0,
  ...more,
});
const costs = (amount: number) => ({ cost: { amount, currency: 'USD' as const } });
const demo = row('fermata-demo', { unpriced_calls: 10 });
const failed = row('', { unpriced_calls: 2, calls: 2, errors: 2, input_tokens: 0, output_tokens: 0 });
const local = row('llama', { unpriced_calls: 10 });

describe('what usage costs', () => {
  it('is free for the demo, unknown for a model without a price, nothing for a call that failed', () => {
    expect([demo, failed, local, row('large', costs(1))].map(priceOf)).toEqual(['free', 'failed', 'unknown', 'known']);
    expect(unpriced([demo, failed, local])).toEqual({ models: ['llama'], calls: 10 });
    expect(allFree([demo, failed])).toBe(true);
    expect(allFree([demo, local])).toBe(false);
    expect(allFree([])).toBe(false);
  });

  it('has a trend only where something was before', () => {
    expect(trendOf(3, 2)).toBeCloseTo(0.5);
    expect(trendOf(3, 0)).toBeNull();
  });

  it('says what most of it was, in money where there is some', () => {
    const big = row('large', { ...costs(3), input_tokens: 10 });
    expect(largest([row('small', costs(1)), big])).toEqual({ row: big, share: 0.75, by: 'cost' });
    expect(largest([demo])?.by).toBe('tokens');
    expect(largest([])).toBeNull();
  });
});

describe('what to change', () => {
  it('is nothing where nothing stands out', () => {
    expect(adviceOf([row('large', costs(1))], [], [row('', costs(1))])).toEqual([]);
  });
  it('names failures, prices and the automation that uses most', () => {
    const models = [local, row('', { calls: 5, errors: 5 })];
    expect(adviceOf(models, [row('summary', { input_tokens: 2000 })], [row('aut_1', { input_tokens: 5000 })])).toEqual([
      'errors',
      'prices',
      'automation',
      'summaries',
    ]);
  });
});
