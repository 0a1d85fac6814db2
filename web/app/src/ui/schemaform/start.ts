import { optionsOf } from './shape';
import { resolve } from './resolve';
import type { Fields, Schema } from './types';

/** The initial value: only what is determined (fixed values, empty required objects and lists, required booleans as
 * false). Everything else is unset. */
export function startOf(given: Schema | boolean | undefined, root: Schema = given as Schema, depth = 0): unknown {
  if (depth > 12) return undefined;
  const { schema, nullable } = resolve(given, root);
  if (nullable) return undefined;
  const options = optionsOf(schema, root);
  if (options) return options.length === 1 ? options[0]!.value : undefined;
  if (schema.oneOf || schema.anyOf) return undefined;
  if (schema.type === 'boolean') return schema.default === true;
  if (schema.type === 'array') return [];
  if (schema.type !== 'object' && !schema.properties) return undefined;
  const value: Fields = {};
  for (const name of schema.required ?? []) {
    const start = startOf(schema.properties?.[name] ?? true, root, depth + 1);
    if (start !== undefined) value[name] = start;
  }
  return value;
}
