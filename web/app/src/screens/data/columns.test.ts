import { describe, expect, it } from 'vitest';
import { columnsOf, fromInput, meanOf, numbersOf, parseNumber, quickField, startOf, toInput } from './columns';

const tracking = { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] };
const checklist = {
  type: 'object',
  properties: { text: { type: 'string' }, done: { type: 'boolean' } },
  required: ['text', 'done'],
};
const notes = {
  type: 'object',
  properties: { title: { type: 'string' }, text: { type: 'string' } },
  required: ['title', 'text'],
};

describe('a schema as a table', () => {
  it('has a column for each field', () => {
    expect(columnsOf(checklist).map((c) => [c.name, c.kind])).toEqual([
      ['text', 'text'],
      ['done', 'boolean'],
    ]);
    expect(
      columnsOf({ properties: { a: { type: ['integer', 'null'], title: 'A' }, b: { type: 'array' }, c: {} } }),
    ).toEqual([
      { name: 'a', title: 'A', kind: 'number' },
      { name: 'b', title: undefined, kind: 'json' },
      { name: 'c', title: undefined, kind: 'json' },
    ]);
    expect(columnsOf({})).toEqual([]);
    expect(numbersOf(tracking).map((c) => c.name)).toEqual(['value']);
  });
  it('may have a one-line form', () => {
    expect(quickField(tracking)?.name).toBe('value');
    expect(quickField(checklist)?.name).toBe('text');
    expect(quickField(notes)).toBeNull();
    expect(quickField({ properties: { size: { type: 'string', enum: ['s', 'm'] } }, required: ['size'] })).toBeNull();
  });
  it('starts with the required values', () => {
    expect(startOf(checklist)).toEqual({ done: false });
    expect(startOf({ properties: { n: { type: 'number', default: 3 }, maybe: { type: 'boolean' } } })).toEqual({
      n: 3,
    });
  });
});

it.each([
  [220 / 30, [5.5, 8.5, 7.75], 7.33],
  [7.25, [7, 8, 7], 7.3],
  [123456.789, [1, 200000, 3], 123456.8],
  [0.123456, [0, 1, 0], 0.123],
  [0, [-1, 1, 0], 0],
  [null, [null, null, null], null],
])('the average %s of values like %j is shown as %s', (mean, [min, max, last], want) =>
  expect(meanOf({ mean, min: min!, max: max!, last: last! })).toBe(want),
);

it('numbers are parsed as people write them', () => {
  expect(['72.5', '72,5', '1 000', '-3', '1e3', '.5'].map(parseNumber)).toEqual([72.5, 72.5, 1000, -3, 1000, 0.5]);
  expect(['', 'x', '1.2.3', '1,000,000', '0x10', '1e999'].map(parseNumber)).toEqual([
    null,
    null,
    null,
    null,
    null,
    null,
  ]);
});

it('an untouched time keeps its seconds', () => {
  const at = '2026-03-02T07:30:12.345Z';
  expect(fromInput(toInput(at), at)).toBe(at);
  expect(fromInput('', at)).toBeUndefined();
  expect(new Date(fromInput(toInput(at))!).getTime()).toBe(new Date('2026-03-02T07:30:00Z').getTime());
});
