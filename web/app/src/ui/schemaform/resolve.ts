// Normalizes a schema for a form: references are followed, null is removed, and allOf is merged.
import { isFields, type Schema } from './types';
import { namesOf } from './pointer';

export interface Resolved {
  schema: Schema;
  nullable: boolean;
}

/** The schemas visited so far: a repeated reference is a cycle, and a schema with too many parts is not followed to
 * its end. */
interface Way {
  refs: string[];
  left: { steps: number };
}

const maxSteps = 500;

export function asSchema(schema: unknown): Schema {
  if (schema === false) return { not: {} };
  return isFields(schema) ? schema : {};
}

/** The target of a reference within the schema; {} if there is none. */
export function lookUp(ref: string, root: Schema): Schema {
  if (!ref.startsWith('#')) return {};
  let at: unknown = root;
  for (const name of namesOf(decodeURIComponent(ref))) {
    if (isFields(at) && Object.hasOwn(at, name)) at = at[name];
    else if (Array.isArray(at)) at = at[Number(name)];
    else return {};
  }
  return asSchema(at);
}

function follow(schema: Schema, root: Schema, refs: string[] = []): Schema {
  let now = schema;
  while (typeof now.$ref === 'string') {
    const { $ref, ...own } = now;
    now = refs.includes($ref) ? own : { ...lookUp($ref, root), ...own };
    refs.push($ref);
  }
  return now;
}

/** Two parts of an allOf, merged for display. Validation uses the parts. */
function together(a: Schema, b: Schema): Schema {
  return {
    ...a,
    ...b,
    ...(a.properties || b.properties ? { properties: { ...a.properties, ...b.properties } } : {}),
    ...(a.required || b.required ? { required: [...new Set([...(a.required ?? []), ...(b.required ?? [])])] } : {}),
  };
}

const isNull = (schema: Schema) =>
  schema.type === 'null' || schema.const === null || (schema.enum?.length === 1 && schema.enum[0] === null);

export function resolve(given: unknown, root: Schema, way: Way = { refs: [], left: { steps: maxSteps } }): Resolved {
  const refs = [...way.refs];
  let schema = follow(asSchema(given), root, refs);
  const more = () => ({ refs, left: way.left });
  const goOn = way.left.steps-- > 0;
  let nullable = false;
  if (schema.allOf && goOn) {
    const { allOf, ...own } = schema;
    const parts = allOf.map((part) => resolve(part, root, more()).schema);
    schema = [own, ...parts].reduce(together);
  }
  for (const word of ['anyOf', 'oneOf'] as const) {
    const list = schema[word];
    if (!Array.isArray(list)) continue;
    const rest = list.filter((part) => !isNull(follow(asSchema(part), root)));
    if (rest.length === list.length) continue;
    nullable = true;
    const { [word]: _, ...own } = schema;
    schema =
      rest.length === 1 && goOn ? together(resolve(rest[0], root, more()).schema, own) : { ...own, [word]: rest };
  }
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((t) => t !== 'null');
    nullable ||= types.length < schema.type.length;
    schema = { ...schema, type: types.length === 1 ? types[0] : types };
    if (schema.enum) schema = { ...schema, enum: schema.enum.filter((v) => v !== null || !nullable) };
  }
  return { schema, nullable };
}
