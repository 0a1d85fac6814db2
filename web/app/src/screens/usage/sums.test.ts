import { describe, expect, it } from 'vitest';
import { dayOf, totalOf } from './sums';

describe('the day that something belongs to', () => {
  const at = (iso: string) => new Date(iso).getTime();
  it('is that of the workspace’s time zone', () => {
    expect(dayOf(at('2026-03-01T23:30:00Z'), 'Europe/Paris', 0)).toBe('2026-03-02');
    expect(dayOf(at('2026-03-01T23:30:00Z'), 'UTC', 0)).toBe('2026-03-01');
  });
  it('begins when the workspace says so', () => {
    expect(dayOf(at('2026-03-01T03:59:00Z'), 'UTC', 4)).toBe('2026-02-28');
    expect(dayOf(at('2026-03-01T04:00:00Z'), 'UTC', 4)).toBe('2026-03-01');
  });
});

describe('the sum of usage', () => {
  const row = {
    key: 'a',
    label: null,
    calls: 2,
    errors: 1,
    unpriced_calls: 1,
    input_tokens: 10,
    cache_read_tokens: 30,
    cache_write_tokens: 5,
    output_tokens: 7,
    reasoning_tokens: 3,
    cost: { amount: 0.25, currency: 'USD' as const },
    prompt_tokens: 50,
    prompt_reused_tokens: 40,
  };
  it('counts each token once, thoughts as part of the output', () => {
    expect(totalOf([row, { ...row, cost: null }])).toEqual({
      calls: 4,
      errors: 2,
      unpriced_calls: 2,
      input: 90,
      cached: 60,
      prompted: 100,
      reused: 80,
      output: 14,
      tokens: 104,
      cost: 0.25,
    });
  });
});
