// The config of a provider as a form has it.
import { testWords } from '../../api/inFrench';
import { difference } from '../../api/mergePatch';
import type { FieldError } from '../../api/problem';
import type { Schema } from '../../ui/SchemaForm';

type Config = Record<string, unknown>;
const first = ['preset', 'base_url', 'api_key', 'api_key_env', 'model'];

/** The schema in two: what one must say, and what one rarely says. A key that is kept is
 * not shown; the field for it is empty, and a hint says that one is kept. */
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

/** The part of a config that a schema is about. */
export const part = (config: Config, schema: Schema): Config =>
  Object.fromEntries(Object.entries(config).filter(([name]) => Object.hasOwn(schema.properties ?? {}, name)));

/** A config as it came, without its masked key. */
export function shown(config: Config): Config {
  const { api_key: _, ...rest } = config;
  return rest;
}

/** What to send to change a config. Untouched, the key stays; an own variable instead of it
 * takes its place. */
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

/** What a failed test says about a field of the form. */
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
