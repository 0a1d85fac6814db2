import { expect, test } from 'vitest';
import { sidesOf } from './shape';

const was = {
  title: '',
  description: 'Closes it.',
  params_schema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
};

test('a change is shown by its fields', () => {
  const is = {
    ...was,
    params_schema: {
      ...was.params_schema,
      properties: { id: { type: 'string' }, name: { type: 'integer', minimum: 1 } },
    },
  };
  expect(sidesOf(was, is, 'required')).toEqual({
    before: { title: '', description: 'Closes it.', '{id}': 'string · required' },
    after: {
      title: '',
      description: 'Closes it.',
      '{id}': 'string · required',
      '{name}': 'integer · {"minimum":1}',
    },
  });
});

test('a change outside the fields is shown as JSON, and no change as none', () => {
  const is = { ...was, params_schema: { ...was.params_schema, additionalProperties: true } };
  expect(JSON.stringify(sidesOf(was, is, 'required'))).toContain('additionalProperties');
  expect(sidesOf(was, structuredClone(was), 'required')).toBe(null);
});
