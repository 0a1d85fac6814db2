import { expect, it } from 'vitest';
import { checkSchema } from '../ui/schemaform/check';
import type { Schema } from '../ui/schemaform/types';
import { paramsSchema, withoutDescriptions } from './paramsSchema';

const command: Schema = {
  type: 'object',
  properties: { entry_id: { type: 'string' }, data: { type: 'object' } },
  required: ['entry_id'],
};
const trip: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['from'],
  properties: {
    from: {
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string' }, zip: { type: 'string', title: 'Postcode' } },
    },
    price: { type: 'number' },
  },
};
const wrong = (data: unknown, edited: unknown, isPatch = true) => {
  const schema = paramsSchema(command, { entry_id: 'e', data }, { entry: trip, isPatch });
  return checkSchema(schema, { entry_id: 'e', data: edited }).map((m) => m.pointer);
};

it('the form of an update requires nothing, at any depth, and keeps the fields', () => {
  expect(wrong({ price: 1 }, { price: 2 })).toEqual([]);
  expect(wrong({ from: { zip: '69001' } }, { from: { zip: '69002' } })).toEqual([]);
  expect(wrong({ price: 1 }, { price: 'much', colour: 'red' })).toEqual(['/data/price', '/data/colour']);
  expect(wrong({ price: 1 }, { price: 1 }, false)).toEqual(['/data/from']);
});

it('a record is shown by its name if known', () => {
  const record = { id: 'e', name: 'Sleep, yesterday 07:00' };
  const of = (entry_id: string) => paramsSchema(command, { entry_id }, { record, isPatch: true }).properties!.entry_id;
  expect(of('e')).toMatchObject({ oneOf: [{ const: 'e', title: 'Sleep, yesterday 07:00' }] });
  expect(of('other')).toEqual({ type: 'string' });
});

it('the AI’s params come first, then required ones, optional ones, and ids', () => {
  const schema: Schema = {
    type: 'object',
    properties: { entry_id: {}, timestamp: {}, text: {}, data: {} },
    required: ['entry_id', 'text'],
  };
  const names = Object.keys(paramsSchema(schema, { entry_id: 'e', data: {} }, { isPatch: true }).properties!);
  expect(names).toEqual(['text', 'data', 'timestamp', 'entry_id']);
});

it('if the AI removes a field, null may stay, and a value may replace it', () => {
  const data = { price: null, from: { zip: null } };
  expect(wrong(data, data)).toEqual([]);
  expect(wrong(data, { price: 3, from: { zip: '69002' } })).toEqual([]);
  expect(wrong(data, { price: 'much', from: { zip: null } })).toEqual(['/data/price']);
  expect(wrong({ price: 1 }, { price: null })).toEqual(['/data/price']);
});

it('descriptions for the AI are not shown to people; a field named description is kept', () => {
  const described: Schema = {
    type: 'object',
    description: 'x',
    properties: {
      description: { type: 'string', description: 'x', maxLength: 5 },
      entries: { type: 'array', description: 'x', items: { type: 'object', properties: { at: { description: 'x' } } } },
    },
    required: ['description'],
  };
  expect(withoutDescriptions(described)).toEqual({
    type: 'object',
    properties: {
      description: { type: 'string', maxLength: 5 },
      entries: { type: 'array', items: { type: 'object', properties: { at: {} } } },
    },
    required: ['description'],
  });
});
