import { expect, test } from 'vitest';
import { format } from './format';

const now = Date.parse('2026-11-21T15:30:00Z'); // a Saturday
const relative = (at: string, zone = 'Europe/Paris') => format('en').relative(at, now, zone);

test('days are calendar days, in the given zone', () => {
  expect(relative('2026-11-22T17:00:00Z')).toBe('tomorrow');
  expect(relative('2026-11-23T06:30:00Z')).toBe('in 2 days'); // in 39 hours
  expect(relative('2026-11-22T23:30:00Z')).toBe('in 2 days'); // after midnight in Paris
  expect(relative('2026-11-22T23:30:00Z', 'UTC')).toBe('tomorrow');
  expect(relative('2026-11-20T14:00:00Z')).toBe('yesterday');
  expect(relative('2026-11-19T20:00:00Z')).toBe('2 days ago');
});

test('less than a day is written in hours, minutes and seconds', () => {
  expect(relative('2026-11-22T06:30:00Z')).toBe('in 15 hours');
  expect(relative('2026-11-21T15:27:01Z')).toBe('2 minutes ago');
  expect(relative('2026-11-21T15:30:00Z')).toBe('now');
});

test('an instant is written in one way', () => {
  const time = (at: string, lang: 'en' | 'fr' = 'en') => format(lang).time(at, 'Europe/Paris', now);
  expect(time('2026-11-21T06:30:00Z')).toBe('07:30');
  expect(time('2026-11-22T06:30:00Z')).toBe('tomorrow 07:30');
  expect(time('2026-11-22T06:30:00Z', 'fr')).toBe('demain 07:30');
  expect(time('2026-11-20T17:00:00Z')).toBe('yesterday 18:00');
  expect(time('2026-11-24T06:30:00Z')).toBe('Tue 07:30');
  expect(time('2026-11-24T06:30:00Z', 'fr')).toBe('mar. 07:30');
  expect(time('2026-11-18T06:30:00Z')).toBe('Nov 18 07:30'); // a past weekday would be ambiguous
  expect(time('2027-11-18T06:30:00Z', 'fr')).toBe('18 nov. 2027 07:30');
  expect(time('nonsense')).toBe('');
});

test('bytes have a readable unit', () => {
  expect([1, 22, 1500, 2_340_000].map(format('en').bytes)).toEqual(['1 byte', '22 bytes', '1.5 kB', '2.3 MB']);
  expect(format('fr').bytes(22).replace(/\s/gu, ' ')).toBe('22 octets');
});

test('an ordinal', () => {
  expect([1, 2, 3, 4, 11, 12, 21, 22, 113].map(format('en').ordinal)).toEqual([
    '1st',
    '2nd',
    '3rd',
    '4th',
    '11th',
    '12th',
    '21st',
    '22nd',
    '113th',
  ]);
  expect([1, 2, 12, 21].map(format('fr').ordinal)).toEqual(['1re', '2e', '12e', '21e']);
});
