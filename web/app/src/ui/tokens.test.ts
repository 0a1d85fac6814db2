import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const sheets = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.css'));

/** Properties with a value that is not a token. */
const odd = (property: string, fine: RegExp) =>
  sheets.flatMap((path) =>
    [...readFileSync(`src/${path}`, 'utf8').matchAll(new RegExp(`${property}: ([^;]+);`, 'g'))]
      .filter(([, value]) => !value!.split(' ').every((one) => fine.test(one)))
      .map(([rule]) => `${path}: ${rule}`),
  );

test('each font size is one of the scale, or relative to the surrounding text', () => {
  expect(sheets.length).toBeGreaterThan(20);
  expect(odd('font-size', /^(var\(--text-\d\d\)|inherit|[\d.]+em)$/)).toEqual([]);
});

test('each corner is one of the four, none, or a circle', () => {
  expect(odd('border-radius', /^(var\(--r[a-z-]*\)|inherit|0|50%)$/)).toEqual([]);
});
