import { expect, it } from 'vitest';
import { partsOf, placesOf } from './marks';

it('marks are counted in code points, not UTF-16 units', () => {
  expect(partsOf('😀 café noir', [{ start: 2, end: 6 }])).toEqual([
    { text: '😀 ', marked: false },
    { text: 'café', marked: true },
    { text: ' noir', marked: false },
  ]);
});

it('overlapping or invalid marks are harmless', () => {
  const parts = partsOf('abcdef', [
    { start: 4, end: 99 },
    { start: 1, end: 3 },
    { start: 2, end: 4 },
  ]);
  expect(parts.map((p) => p.text).join('')).toBe('abcdef');
  expect(partsOf('', [{ start: 0, end: 3 }])).toEqual([]);
});

it('words are found in a title', () => {
  expect(placesOf('😀 Un café', ['café', 'thé'])).toEqual([{ start: 5, end: 9 }]);
});
