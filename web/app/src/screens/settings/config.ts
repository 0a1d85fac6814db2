// The config of a provider, as edited in a form.
import { testWords } from '../../api/inFrench';
import { difference } from '../../api/mergePatch';
import type { FieldError } from '../../api/problem';
import type { Schema } from '../../ui/SchemaForm';

type Config = Record<string, unknown>;
const first = ['preset', 'base_url', 'api_key', 'api_key_env', 'model'];

/** Splits the schema into common and rare fields. A stored key is never shown; its field is empty, with a hint that a
 * key is stored. */
export function splitSchema(
  schema: Schema,
  kept: string | undefined,
  keptHint: string,
): { main: Schema; more: Schema } {
  const properties = { ...schema.properties };
  if (kept && typeof properties.api_key === 'object')
    properties.api_key = { ...properties.api_key, description: keptHint };
  const of = (mine: (name: string) => boolean): Schema => ({
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => mine(name))),
    required: (schema.required ?? []).filter(mine),
  });
  const main = (name: string) => first.includes(name) || (schema.required ?? []).includes(name);
  return { main: of(main), more: of((name) => !main(name)) };
}

/** The part of a config that a schema covers. */
export const part = (config: Config, schema: Schema): Config =>
  Object.fromEntries(Object.entries(config).filter(([name]) => Object.hasOwn(schema.properties ?? {}, name)));

/** A stored config, without its masked key. */
export function shown(config: Config): Config {
  const { api_key: _, ...rest } = config;
  return rest;
}

/** The patch that changes a config. An untouched key is kept; a variable name replaces it. */
export function configPatch(before: Config, after: Config): Config {
  const patch = difference(shown(before), shown(after));
  if (typeof after.api_key === 'string' && after.api_key) patch.api_key = after.api_key;
  else if (before.api_key !== undefined && after.api_key_env && after.api_key_env !== before.api_key_env)
    patch.api_key = null;
  return patch;
}

const fieldOf: Record<string, string> = {
  provider_authentication: 'api_key',
  provider_invalid_request: 'model',
  provider_network: 'base_url',
};

/** A failed test's error for a field of the form. */
export function testErrors(
  error: { code: string; message: string; meaning: string; mend: string } | null,
  schema: Schema,
): FieldError[] {
  const field = error && fieldOf[error.code];
  if (!field || !Object.hasOwn(schema.properties ?? {}, field)) return [];
  return [
    {
      pointer: `/config/${field}`,
      code: error.code,
      message: testWords(error.code, error.meaning || error.message, '')[0],
    },
  ];
}
