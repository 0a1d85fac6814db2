import { expect, test } from 'vitest';
import { visible } from './visible';

test.each([
  ['pay \u202e001\u202c', String.raw`pay \u202e001\u202c`],
  ['a\u2066b\u2069', String.raw`a\u2066b\u2069`],
  ['\u001b[31mred\u0007', String.raw`\u001b[31mred\u0007`],
  ['zero\u200bwidth', String.raw`zero\u200bwidth`],
  ['tag\u{e0041}', String.raw`tag\U000e0041`],
  ['line\u2028sep', String.raw`line\u2028sep`],
  ['no\u00a0break', String.raw`no\u00a0break`],
  ['wide\u3000space', String.raw`wide\u3000space`],
  ['filler\u3164\u2800', String.raw`filler\u3164\u2800`],
  ['join\u200der', String.raw`join\u200der`],
  ['vary\ufe0f', String.raw`vary\ufe0f`],
  ['two\nlines\tand\rcr', 'two\nlines\tand\\u000dcr'],
])('invisible characters are shown: %j', (text, shown) => {
  expect(visible(text)).toBe(shown);
});

test.each([
  'Zoé’s œuvre — “fine” €5',
  'مرحبا بالعالم',
  'שלום עולם',
  'می\u200cخواهم',
  'क्\u200dष',
  '日本語\u3000テキスト',
  '👩\u200d👩\u200d👧\u200d👦',
  '👍🏽',
  '❤\ufe0f',
  '1\ufe0f\u20e3',
  '🏳\ufe0f\u200d🌈',
  '👩🏽\u200d💻',
  'Santé\u00a0: 2\u202f000\u00a0€',
  '«\u00a0oui\u00a0»\u202f!',
  '葛\u{e0100}',
  '',
])('ordinary text is unchanged: %j', (text) => {
  expect(visible(text)).toBe(text);
});
