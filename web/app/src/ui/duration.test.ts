import { expect, test } from 'vitest';
import { seconds } from './duration';

test('durations of the server in seconds', () => {
  expect(seconds('5m')).toBe(300);
  expect(seconds('1h30m')).toBe(5400);
  expect(seconds('1m30.5s')).toBe(90.5);
  expect(seconds('250ms')).toBe(0.25);
  expect(seconds(undefined)).toBe(0);
});
