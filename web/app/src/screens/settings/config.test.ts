import { describe, expect, it } from 'vitest';
import { configPatch, splitSchema, part, shown, testErrors } from './config';

const schema = {
  type: 'object',
  required: ['model'],
  properties: {
    model: { type: 'string' },
    api_key: { type: 'string', writeOnly: true },
    max_tokens: { type: 'integer' },
  },
};

describe('a provider’s config', () => {
  it('is shown without its key, in two halves', () => {
    expect(shown({ model: 'm', api_key: 'sk-…abcd' })).toEqual({ model: 'm' });
    const { main, more } = splitSchema(schema, 'sk-…abcd', 'kept');
    expect([Object.keys(main.properties!), main.required, Object.keys(more.properties!), more.required]).toEqual([
      ['model', 'api_key'],
      ['model'],
      ['max_tokens'],
      [],
    ]);
    expect(main.properties!.api_key).toMatchObject({ description: 'kept' });
    expect(part({ model: 'm', max_tokens: 1 }, more)).toEqual({ max_tokens: 1 });
  });

  it('keeps its key until another one is typed', () => {
    const before = { model: 'm', api_key: 'sk-…abcd', max_tokens: 5 };
    expect(configPatch(before, { model: 'n', max_tokens: 5 })).toEqual({ model: 'n' });
    expect(configPatch(before, { model: 'm', api_key: 'new', max_tokens: 5 })).toEqual({ api_key: 'new' });
    expect(configPatch(before, { model: 'm' })).toEqual({ max_tokens: null });
    expect(configPatch(before, { model: 'm', max_tokens: 5, api_key_env: 'KEY' })).toEqual({
      api_key_env: 'KEY',
      api_key: null,
    });
  });

  it('shows a test’s error at its field', () => {
    const error = { code: 'provider_authentication', message: 'no', meaning: 'The key was refused.', mend: '' };
    expect(testErrors(error, schema)).toEqual([
      { pointer: '/config/api_key', code: 'provider_authentication', message: 'The key was refused.' },
    ]);
    expect(testErrors({ ...error, code: 'provider_network' }, schema)).toEqual([]); // it has no such field
    expect(testErrors(null, schema)).toEqual([]);
  });
});
