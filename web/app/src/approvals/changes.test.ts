import { describe, expect, it } from 'vitest';
import { changes, lineDiff, rowsOf, saidBy } from './changes';

describe('the changes of a record', () => {
  it('are the fields that differ, and nothing else', () => {
    expect(changes({ data: { value: 8, note: 'x' }, at: 1 }, { data: { value: 7.75, note: 'x' }, at: 1 })).toEqual([
      { path: ['data', 'value'], was: 8, will: 7.75, kind: 'changed' },
    ]);
    expect(changes(undefined, { name: 'Kitchen' })).toEqual([
      { path: ['name'], was: undefined, will: 'Kitchen', kind: 'added' },
    ]);
    expect(changes({ name: 'Kitchen', more: {} }, undefined).map((c) => [c.path.join(), c.kind])).toEqual([
      ['name', 'removed'],
      ['more', 'removed'],
    ]);
  });
  it('omit the empty fields and the id of a whole record', () => {
    expect(
      changes({ id: 'zon_1', name: 'Health', description: '', position: 0 }, undefined).map((c) => c.path.join()),
    ).toEqual(['name', 'position']);
    expect(changes({ description: '' }, { description: 'x' })).toHaveLength(1);
  });
  it('distinguish null from absent, and a text from a number', () => {
    expect(changes({ a: null, b: '7' }, { b: 7 }).map((c) => c.kind)).toEqual(['removed', 'changed']);
    expect(changes({ a: 1 }, { a: null })).toEqual([{ path: ['a'], was: 1, will: null, kind: 'changed' }]);
  });
  it('are recursive for lists of records, and keep lists of words whole', () => {
    expect(changes({ entries: [{ v: 1 }, { v: 2 }] }, { entries: [{ v: 1 }, { v: 3 }] })).toEqual([
      { path: ['entries', '2', 'v'], was: 2, will: 3, kind: 'changed' },
    ]);
    expect(changes({ tags: ['a'] }, { tags: ['a', 'b'] })).toEqual([
      { path: ['tags'], was: ['a'], will: ['a', 'b'], kind: 'changed' },
    ]);
  });
  it('are all fields if nothing differs', () => {
    expect(changes({ a: 1 }, { a: 1 })).toEqual([{ path: ['a'], was: 1, will: 1, kind: 'same' }]);
    expect(changes(null, null)).toEqual([]);
  });
  it('are complete, however many unchanged fields precede them', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`, i]));
    expect(changes(many, { ...many, last: true })).toEqual([
      { path: ['last'], was: undefined, will: true, kind: 'added' },
    ]);
    expect(changes(undefined, many)).toHaveLength(5000);
  });
});

describe('a line', () => {
  const zone = (more: object) => ({ before: undefined, after: { name: 'Kitchen', ...more } });
  it('describes a new object with only a name completely', () => {
    expect(saidBy('Add the zone “Kitchen”', zone({}))).toBe(true);
    expect(saidBy('Ajouter la zone « Kitchen »', zone({ description: '' }))).toBe(true);
  });
  it('describes nothing else completely', () => {
    expect(saidBy('Add the zone “Kitchen”', zone({ description: 'the zone' }))).toBe(false);
    expect(saidBy('Add the zone “Kit…”', zone({}))).toBe(false);
    expect(saidBy('Add the zone “Kitchen”', { ...zone({}), warnings: ['It cannot be undone.'] })).toBe(false);
    expect(saidBy('Change the zone “Kitchen”', { before: { name: 'Attic' }, after: { name: 'Kitchen' } })).toBe(false);
    expect(saidBy('Add 1 entry to “Sleep”', { after: [{ data: { text: 'Sleep' } }] })).toBe(false);
    expect(saidBy('Delete “Sleep”', { before: { name: 'Sleep' } })).toBe(false);
    expect(saidBy('Send a mail to “Ann”', {})).toBe(false);
    expect(saidBy('Send a mail to “Ann”', { before: null, after: null })).toBe(false);
  });
});

describe('records of a list', () => {
  const rows = (before: unknown, after: unknown) => rowsOf(changes(before, after));
  const eggs = { data: { done: false, text: 'eggs' }, timestamp: '2026-11-23T08:00:00Z' };
  const rice = { data: { done: true, text: 'rice', note: 'brown' }, timestamp: '2026-11-23T09:00:00Z' };
  it('are rows: timestamps first, booleans last, and an empty cell for a missing field', () => {
    expect(rows(undefined, [eggs, rice])).toEqual({
      kind: 'added',
      columns: [['timestamp'], ['data', 'text'], ['data', 'note'], ['data', 'done']],
      rows: [
        { at: '1', cells: ['2026-11-23T08:00:00Z', 'eggs', undefined, false] },
        { at: '2', cells: ['2026-11-23T09:00:00Z', 'rice', 'brown', true] },
      ],
    });
    expect(rows({ entries: [eggs, eggs] }, undefined)?.kind).toBe('removed');
  });
  it('are lines if a table would hide something', () => {
    expect(rows(undefined, [eggs])).toBeNull();
    expect(rows([eggs, rice], [eggs, { ...rice, timestamp: '' }])).toBeNull();
    expect(rows(undefined, { entries: [eggs, rice], name: 'x' })).toBeNull();
    expect(rows(undefined, [{ text: 'a\nb' }, { text: 'c' }])).toBeNull();
    expect(rows(undefined, [{ text: 'a'.repeat(81) }, { text: 'c' }])).toBeNull();
    expect(rows(undefined, [{ tags: ['a'] }, { tags: ['b'] }])).toBeNull();
    expect(rows(undefined, [{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }, { a: 1 }])).toBeNull();
    expect(rows(undefined, undefined)).toBeNull();
  });
});

describe('two texts', () => {
  it('are compared line by line, with context', () => {
    const was = 'one\ntwo\nthree\nfour\nfive\nsix\nseven';
    expect(lineDiff(was, was.replace('six', '6'))).toEqual([
      { text: 'four', kind: 'same' },
      { text: 'five', kind: 'same' },
      { text: 'six', kind: 'removed' },
      { text: '6', kind: 'added' },
      { text: 'seven', kind: 'same' },
    ]);
    expect(lineDiff('a\nb', 'a\nb\nc')?.at(-1)).toEqual({ text: 'c', kind: 'added' });
  });
  it('are shown in full if they are short or have nothing in common', () => {
    expect(lineDiff('a', 'b')).toBeNull();
    expect(lineDiff('a\nb\nc', 'x\ny\nz')).toBeNull();
  });
});
