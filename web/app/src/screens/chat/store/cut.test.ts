import { expect, test } from 'vitest';
import { cutAtWord } from './cut';

test('a name is cut between words, with an ellipsis', () => {
  expect(cutAtWord('short', 60)).toBe('short');
  expect(cutAtWord('track my sleep in hours, between 0 and 24', 32)).toBe('track my sleep in hours, between…');
  expect(cutAtWord('track my sleep in hours, between 0 and 24', 30)).toBe('track my sleep in hours…');
  expect(cutAtWord('x'.repeat(100), 60)).toBe(`${'x'.repeat(59)}…`);
  expect(cutAtWord('👩‍🚀 '.repeat(30), 10)).not.toMatch(/[\ud800-\udbff]…/);
});
