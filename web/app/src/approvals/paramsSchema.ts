// The schema of an action's params, completed with what is known of its record.
import { isFields, type Fields, type Schema } from '../ui/schemaform/types';

interface Known {
  entry?: Schema;
  config?: Schema;
  isPatch: boolean;
  zones?: { id: string; name: string }[];
  tool?: { id: string; name: string };
  /** The entry that it is about. */
  record?: { id: string; name: string };
}

/** An update contains only changed fields: none is required, and null removes one where the AI used it. A nested
 * object is an update as well. */
function asPatch(schema: Schema, patch: unknown): Schema {
  const given = isFields(patch) ? patch : {};
  const change = ([name, field]: [string, Schema | boolean]): [string, Schema | boolean] => {
    if (given[name] === null) return [name, { anyOf: [field, { type: 'null' }] }];
    return [name, isFields(field) && isFields(field.properties) ? asPatch(field, given[name]) : field];
  };
  return {
    ...schema,
    ...(schema.properties && { properties: Object.fromEntries(Object.entries(schema.properties).map(change)) }),
    required: [],
  };
}

/** The descriptions of built-in commands are written for the AI. */
export function withoutDescriptions(schema: Schema): Schema {
  const { description: _, ...rest } = schema;
  const inside = (part: Schema | boolean | undefined) => (isFields(part) ? withoutDescriptions(part) : part);
  return {
    ...rest,
    ...(schema.items !== undefined && { items: inside(schema.items) }),
    ...(schema.properties && {
      properties: Object.fromEntries(Object.entries(schema.properties).map(([name, part]) => [name, inside(part)!])),
    }),
  };
}

export function paramsSchema(schema: Schema, params: Fields, known: Known): Schema {
  const given = schema.properties ?? {};
  // The AI's own note about its call is not edited, unless there is one.
  const properties = Object.fromEntries(
    Object.entries(given).filter(([name]) => name in params || !['repeat', 'validation_request'].includes(name)),
  );
  const put = (name: string, better: Schema | undefined) => {
    if (better && properties[name] !== undefined) properties[name] = { ...(properties[name] as Schema), ...better };
  };
  const shapeOf = (schema: Schema | undefined, value: unknown) =>
    schema && known.isPatch ? asPatch(schema, value) : schema;
  const data = shapeOf(known.entry, params.data);
  put('body', { format: 'multiline' });
  put('data', data);
  put('config', shapeOf(known.config, params.config));
  const entries = properties.entries as Schema | undefined;
  const items = entries?.items as Schema | undefined;
  if (data && items?.properties)
    properties.entries = {
      ...entries,
      items: { ...items, properties: { ...items.properties, data: { ...(items.properties.data as Schema), ...data } } },
    };
  if (known.zones?.some((z) => z.id === params.zone_id))
    put('zone_id', { oneOf: known.zones.map((z) => ({ const: z.id, title: z.name })) });
  if (known.tool && known.tool.id === params.tool_id)
    put('tool_id', { oneOf: [{ const: known.tool.id, title: known.tool.name }] });
  if (known.record && known.record.id === params.entry_id)
    put('entry_id', { oneOf: [{ const: known.record.id, title: known.record.name }] });
  // Params that the AI gave come first, the omitted ones next, and the ids of the record last: they are rarely
  // changed.
  const place = ([name]: [string, unknown]) => {
    if (/_ids?$|^key$/.test(name)) return 2;
    return name in params || schema.required?.includes(name) ? 0 : 1;
  };
  return {
    ...schema,
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).toSorted((a, b) => place(a) - place(b))),
  };
}
