import { describe, expect, it } from 'vitest';
import { checkSchema } from './check';
import { placeOf, readJSON, readNumber, writeJSON, writeNumber } from './read';
import { resolve } from './resolve';
import { localOf, shapeOf } from './shape';
import { startOf } from './start';
import { equal, isFields, Unreadable, type Schema } from './types';

const shape = (schema: Schema, value?: unknown) => shapeOf(resolve(schema, schema).schema, value, schema);
const codes = (schema: Schema, value: unknown) => checkSchema(schema, value).map((m) => `${m.pointer} ${m.code}`);

// shown returns what an untouched form would send: each control's text is formatted and parsed again, each group is
// rebuilt from the fields that it shows.
function shown(given: Schema | boolean, value: unknown, root: Schema, depth = 0): unknown {
  const { schema, nullable } = resolve(given, root);
  if (value === undefined || (value === null && nullable)) return value;
  const s = shapeOf(schema, value, root, depth);
  switch (s.kind) {
    case 'number':
      return readNumber(writeNumber(value as number, 'fr'), 'fr');
    case 'boolean':
      return Boolean(value);
    case 'string':
      return s.input === 'date-time' ? (localOf(value as string) === null ? 'lost' : value) : value;
    case 'enum':
      return value; // one of the choices, or shown beside them
    case 'checks':
      return (value as unknown[]).map((v) => s.options.find((o) => equal(o.value, v))!.value);
    case 'list':
      return (value as unknown[]).map((v) => shown(s.items, v, root, depth + 1));
    case 'variants':
      return s.active < 0 ? {} : shown({ ...s.variants[s.active]!.schema, type: 'object' }, value, root, depth);
    case 'object': {
      const fields = value as Record<string, unknown>;
      const entries = [...s.properties, ...s.extra.map((n) => [n, s.more ?? true] as [string, Schema | boolean])];
      return Object.fromEntries(
        entries.filter(([n]) => Object.hasOwn(fields, n)).map(([n, p]) => [n, shown(p, fields[n], root, depth + 1)]),
      );
    }
    case 'any':
      return typeof value === 'number'
        ? readNumber(writeNumber(value, 'en'), 'en')
        : isFields(value) || Array.isArray(value) || value === null
          ? readJSON(writeJSON(value))
          : value;
    default:
      return readJSON(writeJSON(value));
  }
}

// A seeded generator, so that a failure can be reproduced by its number.
function random(seed: number) {
  let state = seed * 2654435761 + 1;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
  const names = ['a', 'b', 'kind', 'x/y', '~', 'toString', ''];
  const schema = (depth = 0): Schema => {
    const leaf: (() => Schema)[] = [
      () => ({
        type: 'string',
        ...(next() < 0.5 ? { format: pick(['date', 'date-time', 'uri', 'multiline', 'password']) } : {}),
      }),
      () => ({ type: pick(['number', 'integer']) }),
      () => ({ type: 'boolean' }),
      () => ({ type: ['string', 'null'] }),
      () => ({ type: ['string', 'number'] }),
      () => ({}),
      () => ({ enum: [1, 'one', null, true] }),
      () => ({ const: 'fixed' }),
      () => ({
        oneOf: [
          { const: 1, title: 'One' },
          { const: 2, title: 'Two' },
        ],
      }),
      () => ({ $ref: '#/$defs/self' }),
      () => ({ $ref: '#/nowhere' }),
      () => ({ anyOf: [{ type: 'number' }, { type: 'null' }] }),
      () => ({ not: {} }),
    ];
    if (depth > 3 || next() < 0.4) return pick(leaf)();
    const inner = () => schema(depth + 1);
    return pick<() => Schema>([
      () => ({
        type: 'object',
        properties: { a: inner(), kind: inner(), 'x/y': inner() },
        ...(next() < 0.5 ? { additionalProperties: pick<boolean | Schema>([true, false, inner()]) } : {}),
        required: ['a'],
      }),
      () => ({ type: 'array', items: inner() }),
      () => ({ type: 'array', items: { enum: ['one', 'two'] } }),
      () => ({ type: 'array', prefixItems: [inner()] }),
      () => ({ allOf: [inner(), inner()] }),
      () => ({ oneOf: [inner(), inner()] }),
      () => ({ anyOf: [inner(), { type: 'null' }] }),
      () => ({
        oneOf: ['p', 'q'].map((kind) => ({ type: 'object', properties: { kind: { const: kind }, a: inner() } })),
      }),
    ])();
  };
  const value = (depth = 0): unknown => {
    const leaf = [
      1,
      -2.5,
      1e21,
      0,
      '',
      'one',
      'fixed',
      'p',
      '2026-01-31',
      '2026-01-31T10:00:00Z',
      'a\nb',
      true,
      false,
      null,
    ];
    if (depth > 3 || next() < 0.5) return pick(leaf);
    if (next() < 0.4) return Array.from({ length: Math.floor(next() * 4) }, () => value(depth + 1));
    return Object.fromEntries(names.filter(() => next() < 0.4).map((n) => [n, value(depth + 1)]));
  };
  return { schema, value };
}

describe('an untouched form', () => {
  it('returns its value unchanged, whatever the schema', () => {
    for (let seed = 1; seed <= 1000; seed++) {
      const make = random(seed);
      const schema: Schema = { ...make.schema(), $defs: { self: make.schema(2) } };
      for (let i = 0; i < 3; i++) {
        const value = make.value();
        const back = shown(schema, value, schema);
        expect(back, `seed ${seed}: ${JSON.stringify(schema)} of ${JSON.stringify(value)}`).toEqual(value);
        checkSchema(schema, value); // terminates without throwing
        startOf(schema);
      }
    }
  });
});

describe('the control of a schema', () => {
  it('follows type, format and size', () => {
    expect(shape({ type: 'string' })).toEqual({ kind: 'string', input: 'text', long: false });
    expect(shape({ type: 'string', maxLength: 100_000 })).toMatchObject({ long: true });
    expect(shape({ type: 'string', format: 'date' }, '2026-01-31')).toMatchObject({ input: 'date' });
    expect(shape({ type: 'string', format: 'date' }, 'soon')).toMatchObject({ input: 'text' });
    expect(shape({ type: 'string', writeOnly: true })).toMatchObject({ input: 'password' });
    expect(shape({ minimum: 3 })).toEqual({ kind: 'number', integer: false });
    expect(shape({ properties: {} }).kind).toBe('object');
    expect(shape({ type: 'array', items: { enum: ['x', 'y'] } }, ['y']).kind).toBe('checks');
    expect(shape({ type: 'array', items: { enum: ['x', 'y'] } }, ['y', 'y']).kind).toBe('list');
  });

  it('removes null from a type, an enum, an anyOf', () => {
    for (const schema of [
      { type: ['string', 'null'] },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ] as Schema[]) {
      expect(resolve(schema, schema)).toMatchObject({ nullable: true, schema: { type: 'string' } });
    }
    expect(resolve({ type: ['string', 'null'], enum: ['deny', null] }, {})).toMatchObject({
      nullable: true,
      schema: { enum: ['deny'] },
    });
  });

  it('keeps as JSON what does not fit', () => {
    expect(shape({ type: 'number' }, 'seven').kind).toBe('json');
    expect(shape({ type: 'object', properties: {} }, [1]).kind).toBe('json');
    expect(shape({ type: 'string' }, 7).kind).toBe('json');
    expect(shape({ type: 'number' }, new Unreadable('7..', 'number')).kind).toBe('number');
    expect(shape({ type: 'string' }, new Unreadable('{', 'json')).kind).toBe('json');
  });

  it('finds the property that distinguishes alternatives', () => {
    const schema: Schema = {
      oneOf: [
        { title: 'By day', properties: { type: { const: 'cron' }, at: { type: 'string' } } },
        { properties: { type: { enum: ['once'] } } },
      ],
    };
    expect(shape(schema, { type: 'once' })).toMatchObject({
      kind: 'variants',
      by: 'type',
      active: 1,
      variants: [{ title: 'By day' }, { title: 'once' }],
    });
    expect(shape(schema, { type: 'yearly', keep: 1 }).kind).toBe('json');
    expect(shape({ oneOf: [{ const: 1, title: 'One' }, { const: 2 }] })).toEqual({
      kind: 'enum',
      options: [
        { value: 1, label: 'One', description: undefined },
        { value: 2, label: '2', description: undefined },
      ],
    });
  });

  it('terminates for recursive schemas', () => {
    const tree: Schema = {
      $ref: '#/$defs/node',
      $defs: {
        node: { type: 'object', properties: { left: { $ref: '#/$defs/node' } }, required: ['left'] },
        loop: { $ref: '#/$defs/loop' },
      },
    };
    expect(shape(tree).kind).toBe('object');
    expect(shape({ ...tree, $ref: '#/$defs/loop' }).kind).toBe('any');
    expect(startOf(tree)).toMatchObject({ left: { left: {} } });
    let deep: unknown = 1;
    for (let i = 0; i < 40; i++) deep = { left: deep };
    expect(shown(tree, deep, tree)).toEqual(deep);
  });
});

describe('the check', () => {
  const schema: Schema = {
    type: 'object',
    required: ['name', 'a/b'],
    additionalProperties: false,
    properties: {
      name: { type: 'string', minLength: 2, pattern: '^[a-z]+$' },
      'a/b': { type: 'integer', minimum: 1, exclusiveMaximum: 10, multipleOf: 3 },
      list: { type: 'array', maxItems: 2, uniqueItems: true, items: { enum: ['x', 'y'] } },
    },
  };
  it('finds each error at its position', () => {
    expect(codes(schema, { name: 'ok', 'a/b': 3, list: ['x'] })).toEqual([]);
    expect(codes(schema, {})).toEqual(['/name required', '/a~1b required']);
    expect(codes(schema, { name: 'A', 'a/b': 11, list: ['x', 'x', 'z'], more: 1 })).toEqual([
      '/name min_length',
      '/name pattern',
      '/a~1b maximum',
      '/a~1b multiple_of',
      '/list max_items',
      '/list unique',
      '/list/2 enum',
      '/more unknown_field',
    ]);
    expect(codes(schema, { name: 7, 'a/b': 2.5 })).toEqual(['/name type', '/a~1b type']);
  });
  it('puts the pointer below that of the value', () => {
    expect(checkSchema(schema, { 'a/b': 3 }, '/config').map((m) => m.pointer)).toEqual(['/config/name']);
  });
  it('counts characters as people do, and does not stumble over fractions', () => {
    expect(codes({ type: 'string', maxLength: 2 }, '👍👍')).toEqual([]);
    expect(codes({ type: 'number', multipleOf: 0.1 }, 0.3)).toEqual([]);
  });
  it('reports the errors of the intended alternative', () => {
    const either: Schema = {
      oneOf: [
        { type: 'object', required: ['n'], properties: { kind: { const: 'a' }, n: { type: 'number' } } },
        { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'] },
      ],
    };
    expect(codes(either, { kind: 'a' })).toEqual(['/n required']);
    expect(codes(either, { kind: 'c' })).toEqual([' one_of']);
    expect(codes({ anyOf: [{ type: 'null' }, { type: 'string', minLength: 3 }] }, 'ab')).toEqual([' min_length']);
  });
  it('reports where a text stops being JSON, and invalid numbers', () => {
    const [wrong] = checkSchema({ type: 'object' }, new Unreadable('{\n  "a": 1,,\n}', 'json'));
    expect(wrong?.message).toContain('line 2, column 10');
    expect(codes({ type: 'number' }, new Unreadable('7..', 'number'))).toEqual([' type']);
  });
  it('leaves a pattern that this browser cannot compile to the server', () => {
    expect(codes({ type: 'string', pattern: '(?P<x>a)' }, 'b')).toEqual([]);
  });
});

describe('parsing typed text', () => {
  it('reads numbers of both languages, and does not guess', () => {
    expect(readNumber(' 7,5 ', 'fr')).toBe(7.5);
    expect(readNumber('7.5', 'fr')).toBe(7.5);
    expect(readNumber('1\u202f234', 'fr')).toBe(1234);
    expect(readNumber('1,000', 'en')).toBeInstanceOf(Unreadable);
    expect(readNumber('7..', 'en')).toBeInstanceOf(Unreadable);
    expect(readNumber('-.5e2', 'en')).toBe(-50);
    expect(readNumber('', 'en')).toBeUndefined();
    expect(readNumber('Infinity', 'en')).toBeInstanceOf(Unreadable);
  });
  it('finds the position of the error', () => {
    expect(placeOf('[1, 2]')).toBeNull();
    expect(placeOf('[1,\n 2')).toMatchObject({ line: 2, column: 3 });
    expect(placeOf('{"a": tru}')).toMatchObject({ line: 1 });
  });
});

describe('the initial value', () => {
  it('is only what the schema determines', () => {
    expect(
      startOf({
        type: 'object',
        required: ['done', 'text', 'kind', 'tags', 'in'],
        properties: {
          done: { type: 'boolean' },
          text: { type: 'string', default: 'x' },
          kind: { const: 'a' },
          tags: { type: 'array' },
          in: { type: 'object', properties: {} },
          other: { type: 'boolean' },
        },
      }),
    ).toEqual({ done: false, kind: 'a', tags: [], in: {} });
  });
});
