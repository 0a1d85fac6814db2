import { expect, it } from 'vitest';
import { rank, type Target } from './rank';

const target = (name: string, group = 'g'): Target => ({ id: name, group, name, href: '/' });

it('finds names without regard to case and accents, the best match first', () => {
  const all = [target('Das Meer'), target('Météo du jour'), target('Journal'), target('jour')];
  expect(rank(all, 'JOUR', 5).map((x) => x.name)).toEqual(['jour', 'Journal', 'Météo du jour']);
  expect(rank(all, 'meteo jour', 5).map((x) => x.name)).toEqual(['Météo du jour']);
  expect(rank(all, 'xyz', 5)).toEqual([]);
});

it('returns a few per group, and keeps the order without a query', () => {
  const all = [target('a1', 'a'), target('a2', 'a'), target('a3', 'a'), target('b1', 'b')];
  expect(rank(all, '', 2).map((x) => x.name)).toEqual(['a1', 'a2', 'b1']);
});

it('finds a command by its other words, after the names', () => {
  const all = [{ ...target('Use the dark theme'), also: 'night mode' }, target('Night shift')];
  expect(rank(all, 'night', 5).map((x) => x.name)).toEqual(['Night shift', 'Use the dark theme']);
  expect(rank(all, 'mode', 5).map((x) => x.name)).toEqual(['Use the dark theme']);
});
