// The definition of a command, in fields that a person can compare.
import { same } from '../../../api/mergePatch';
import type { Schema } from '../../../ui/SchemaForm';
import type { Command } from '../connector';

export type Texts = NonNullable<Command['looked_at']>;

/** One parameter per line: type, whether it is required, and the other keywords. */
export function paramLine(schema: Schema, name: string, required: string): string {
  const own = schema.properties?.[name];
  const { type, description, ...rest }: Schema = typeof own === 'object' ? own : {};
  return [
    [type ?? []].flat().join(' | '),
    schema.required?.includes(name) ? required : '',
    description ?? '',
    Object.keys(rest).length ? JSON.stringify(rest) : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

function fieldsOf({ title, description, params_schema }: Texts, required: string): Record<string, unknown> {
  const schema = (params_schema ?? {}) as Schema;
  const names = Object.keys(schema.properties ?? {});
  // In braces, as in templates: a parameter "name" is not confused with the name of the command.
  const params = names.map((name) => [`{${name}}`, paramLine(schema, name, required)]);
  return { title, description, ...Object.fromEntries(params) };
}

/** Both sides of a change. If none of the fields differ, the schemas are compared as JSON; null if they are equal
 * too. */
export function sidesOf(was: Texts, is: Texts, required: string): { before: unknown; after: unknown } | null {
  if (same(was, is)) return null;
  const [before, after] = [fieldsOf(was, required), fieldsOf(is, required)];
  if (!same(before, after)) return { before, after };
  const json = ({ params_schema }: Texts) => ({ JSON: JSON.stringify(params_schema, null, 1) });
  return { before: json(was), after: json(is) };
}
