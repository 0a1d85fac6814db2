import { expect, test } from 'vitest';
import { paramsOf, schemaOf } from './written';

const simple = {
  type: 'object',
  properties: { item: { type: 'string', description: 'Its id' }, count: { type: 'integer' } },
  required: ['item'],
};

test('a simple schema is a list, and is restored unchanged', () => {
  const params = paramsOf(simple);
  expect(params?.map((p) => [p.name, p.type, p.required, p.description])).toEqual([
    ['item', 'string', true, 'Its id'],
    ['count', 'integer', false, ''],
  ]);
  expect(schemaOf(params!)).toEqual(simple);
  expect(schemaOf([])).toEqual({ type: 'object', properties: {} });
});

test.each([
  { ...simple, additionalProperties: false },
  { type: 'object', properties: { a: { type: 'integer', minimum: 1 } } },
  { type: 'object', properties: { a: { type: ['string', 'null'] } } },
  { type: 'object', properties: { a: true } },
])('a schema that a list cannot express stays JSON: %j', (schema) => expect(paramsOf(schema)).toBe(null));
