import { expect, it } from 'vitest';
import { msOf } from './duration';

it('parses durations in the server’s format', () => {
  expect([msOf('5m'), msOf('1h30m'), msOf('0.5s'), msOf('250ms'), msOf('0'), msOf('0s')]).toEqual([
    300_000, 5_400_000, 500, 250, 0, 0,
  ]);
  expect([msOf(''), msOf('soon'), msOf('5'), msOf('-5m'), msOf('5 m')]).toEqual([null, null, null, null, null]);
});
