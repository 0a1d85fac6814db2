import { describe, expect, it } from 'vitest';
import type { Schemas } from '../../api/client';
import { meansOf, outcomeOf } from './outcome';

const run = (status: string, end_reason: string | null, duration_ms: number | null = null, amount?: number) =>
  ({
    status,
    end_reason,
    duration_ms,
    usage: { cost: amount === undefined ? null : { amount, currency: 'USD' } },
  }) as Schemas['AutomationRun'];

describe('the outcome of a run', () => {
  it.each([
    ['ended', 'COMPLETED', 'ok'],
    ['ended', 'ERROR', 'bad'],
    ['ended', 'CANCELLED', ''],
    ['running', null, 'accent'],
    ['requires_action', null, 'warn'],
  ])('%s %s is %s', (status, reason, tone) => {
    expect(outcomeOf(run(status, reason)).tone).toBe(tone);
  });

  it('is shown unchanged if the page does not have it', () => {
    expect(outcomeOf(run('ended', 'ABDUCTED'))).toEqual({ name: 'ABDUCTED', tone: '', sign: '•' });
    expect(outcomeOf(run('dreaming', null)).name).toBe('dreaming');
  });

  it('has averages of completed runs only', () => {
    expect(meansOf([run('running', null), run('ended', 'COMPLETED', 1000, 0.02), run('ended', 'ERROR', 3000)])).toEqual(
      { count: 2, duration: 2000, cost: 0.02 },
    );
    expect(meansOf([])).toEqual({ count: 0, duration: null, cost: null });
  });
});
