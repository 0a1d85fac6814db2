import { expect, test } from 'vitest';
import { usual, waits } from './estimate';

const run = (
  automation_id: string,
  duration_ms: number | null,
  end_reason: 'COMPLETED' | 'ERROR' | null = 'COMPLETED',
) => ({
  automation_id,
  duration_ms,
  end_reason,
});
const of = (automation_id: string | null, type: 'AUTOMATION' | 'CHAT' = 'AUTOMATION') => ({ type, automation_id });

test('the estimate is the median of completed runs', () => {
  const takes = usual([run('a', 2000), run('a', 90_000), run('a', 3000), run('a', 1, 'ERROR'), run('b', null, null)]);
  expect(takes.get('a')).toBe(3000);
  expect(takes.has('b')).toBe(false);
});

test('a wait is the rest of the active run plus those ahead', () => {
  const takes = new Map([
    ['a', 10_000],
    ['b', 60_000],
  ]);
  expect(waits({ ...of('a'), since: 4000 }, [of('b'), of('a'), of('a')], takes, 10_000)).toEqual([
    4000, 64_000, 74_000,
  ]);
  expect(waits({ ...of('a'), since: 0 }, [of('b')], takes, 99_000)).toEqual([0]); // longer than any before
  expect(waits(null, [of('b'), of('a')], takes, 0)).toEqual([0, 60_000]);
});

test('the duration of a chat, or of a first run, is unknown', () => {
  const takes = new Map([['a', 10_000]]);
  expect(waits({ ...of(null, 'CHAT'), since: 0 }, [of('a')], takes, 5000)).toEqual([null]);
  expect(waits({ ...of('a'), since: 0 }, [of('new'), of('a')], takes, 5000)).toEqual([5000, null]);
  expect(waits({ ...of('a'), since: 0 }, [null, of('a')], takes, 5000)).toEqual([5000, null]);
});
