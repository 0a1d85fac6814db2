import { expect, it } from 'vitest';
import { diffLines } from './diff';

const said = (before: string, now: string) =>
  diffLines(before, now).map(({ kind, text }) => `${{ same: ' ', added: '+', gone: '-' }[kind]}${text}`);

it('lists added and removed lines', () => {
  expect(said('a\nb\nc', 'a\nB\nc')).toEqual([' a', '-b', '+B', ' c']);
  expect(said('a\nb', 'a\nb')).toEqual([' a', ' b']);
  expect(said('', 'a')).toEqual(['-', '+a']);
  expect(said('a\na', 'a')).toEqual([' a', '-a']);
  expect(said('x\na\ny\nb\nz', 'a\nb\nw')).toEqual(['-x', ' a', '-y', ' b', '-z', '+w']);
});

it('both texts can be reconstructed, also very long ones', () => {
  const before = Array.from({ length: 3000 }, (_, i) => `${i % 7} ${i}`).join('\n');
  const now = Array.from({ length: 3000 }, (_, i) => `${i % 5} ${i}`).join('\n');
  const lines = diffLines(before, now);
  expect(
    lines
      .filter((l) => l.kind !== 'added')
      .map((l) => l.text)
      .join('\n'),
  ).toBe(before);
  expect(
    lines
      .filter((l) => l.kind !== 'gone')
      .map((l) => l.text)
      .join('\n'),
  ).toBe(now);
});
