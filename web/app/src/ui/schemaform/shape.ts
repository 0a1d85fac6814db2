// Selects the control for a value of a schema.
import { equal, isFields, Unreadable, type Schema } from './types';
import { resolve } from './resolve';

export interface Option {
  value: unknown;
  label: string;
  description?: string;
}
export interface Variant {
  schema: Schema;
  title: string;
  is: unknown;
}

export type Shape =
  | { kind: 'enum'; options: Option[] }
  | { kind: 'boolean' }
  | { kind: 'number'; integer: boolean }
  | { kind: 'string'; input: 'text' | 'date' | 'date-time' | 'email' | 'url' | 'password'; long: boolean }
  | { kind: 'checks'; options: Option[] }
  | { kind: 'list'; items: Schema | boolean }
  | { kind: 'object'; properties: [string, Schema | boolean][]; extra: string[]; more: Schema | boolean | null }
  | { kind: 'variants'; by: string; variants: Variant[]; active: number }
  | { kind: 'any'; types: string[] }
  | { kind: 'json' };

const deepest = 10; // levels of nested objects that are shown as fields
const json: Shape = { kind: 'json' };

/** The implied type of a schema without a type. */
function typeOf(schema: Schema): string | string[] | undefined {
  if (schema.type !== undefined) return schema.type;
  if (schema.properties || schema.required || typeof schema.additionalProperties === 'object') return 'object';
  if (schema.items || schema.minItems !== undefined || schema.maxItems !== undefined) return 'array';
  if (
    schema.pattern !== undefined ||
    schema.minLength !== undefined ||
    schema.maxLength !== undefined ||
    schema.format !== undefined
  )
    return 'string';
  if (schema.minimum !== undefined || schema.maximum !== undefined || schema.multipleOf !== undefined) return 'number';
  return undefined;
}

const isScalar = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value);
const labelOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** The choices of an enum, a const, or a oneOf of consts with titles. */
export function optionsOf(schema: Schema, root: Schema): Option[] | null {
  if (Object.hasOwn(schema, 'const')) return [{ value: schema.const, label: labelOf(schema.const) }];
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => ({ value, label: labelOf(value) }));
  const parts = (schema.oneOf ?? schema.anyOf)?.map((part) => resolve(part, root).schema);
  if (!parts?.length || !parts.every((p) => Object.hasOwn(p, 'const') && isScalar(p.const))) return null;
  return parts.map((p) => ({ value: p.const, label: p.title ?? labelOf(p.const), description: p.description }));
}

function constOf(property: unknown, root: Schema): unknown {
  const { schema } = resolve(property, root);
  if (Object.hasOwn(schema, 'const')) return schema.const;
  return Array.isArray(schema.enum) && schema.enum.length === 1 ? schema.enum[0] : undefined;
}

/** Alternatives distinguished by one property with a fixed value in each. */
function variantsOf(schema: Schema, value: unknown, root: Schema): Shape | null {
  const { oneOf, anyOf, ...own } = schema;
  const parts = (oneOf ?? anyOf)?.map((part) => resolve(part, root).schema);
  if (!parts?.length || !parts.every((p) => isFields(p.properties))) return null;
  const by = Object.keys(parts[0]!.properties!).find((name) => {
    const values = parts.map((p) => constOf(p.properties![name], root));
    return values.every((v, i) => v !== undefined && isScalar(v) && values.indexOf(v) === i);
  });
  if (by === undefined) return null;
  const variants = parts.map((p) => {
    const is = constOf(p.properties![by], root);
    const merged = {
      ...own,
      ...p,
      properties: { ...own.properties, ...p.properties },
      required: [...new Set([...(own.required ?? []), ...(p.required ?? [])])],
    };
    return { schema: merged, title: p.title ?? labelOf(is), is };
  });
  if (value !== undefined && !isFields(value)) return json;
  const active = value === undefined ? -1 : variants.findIndex((v) => v.is === value[by]);
  if (active < 0 && isFields(value) && Object.keys(value).length > 0) return json; // of an unknown variant
  return { kind: 'variants', by, variants, active };
}

function objectShape(schema: Schema, value: unknown): Shape {
  if (value !== undefined && !isFields(value)) return json;
  const properties = Object.entries(schema.properties ?? {});
  const extra = Object.keys(value ?? {}).filter((name) => !Object.hasOwn(schema.properties ?? {}, name));
  const given = schema.additionalProperties;
  const patterned = Object.values(schema.patternProperties ?? {})[0];
  const open =
    given === true || isFields(given) || patterned !== undefined || (given === undefined && properties.length === 0);
  return { kind: 'object', properties, extra, more: open ? (isFields(given) ? given : (patterned ?? true)) : null };
}

const inputs: Record<string, 'date' | 'date-time' | 'email' | 'url'> = {
  date: 'date',
  'date-time': 'date-time',
  email: 'email',
  'idn-email': 'email',
  uri: 'url',
  url: 'url',
  'uri-reference': 'url',
};

function stringShape(schema: Schema, value: unknown): Shape {
  if (value !== undefined && typeof value !== 'string') return json;
  const multiline =
    ['multiline', 'textarea', 'markdown'].includes(schema.format ?? '') ||
    schema.contentMediaType?.startsWith('text/') === true;
  const long = multiline || (schema.maxLength ?? 0) > 500 || /\n/.test(value ?? '') || (value ?? '').length > 100;
  const secret =
    schema.writeOnly === true || schema.format === 'password' || schema.secret === true || schema['x-secret'] === true;
  if (secret) return { kind: 'string', input: 'password', long: false };
  const input = inputs[schema.format ?? ''] ?? 'text';
  // The browser's date fields show nothing for values that they cannot parse.
  const odd =
    value !== undefined &&
    ((input === 'date' && !/^\d{4}-\d\d-\d\d$/.test(value)) || (input === 'date-time' && localOf(value) === null));
  return { kind: 'string', input: odd ? 'text' : input, long: long && input === 'text' };
}

/** A date and time in the format of the browser's field, in this computer's zone. */
export function localOf(value: string): string | null {
  const at = new Date(value);
  if (!/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/.test(value) || Number.isNaN(at.getTime())) return null;
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
    .toISOString()
    .slice(0, at.getMilliseconds() ? 23 : at.getSeconds() ? 19 : 16);
}

/** The control for this value; `json` for values that no other one can show completely. */
export function shapeOf(schema: Schema, value: unknown, root: Schema, depth = 0): Shape {
  if (value instanceof Unreadable && value.as === 'json') return json;
  const type = typeOf(schema);
  const options = optionsOf(schema, root);
  if (options)
    return value === undefined || isScalar(value) || options.some((o) => equal(o.value, value))
      ? { kind: 'enum', options }
      : json;
  if (schema.oneOf || schema.anyOf) return (depth < deepest && variantsOf(schema, value, root)) || json;
  switch (type) {
    case 'boolean':
      return value === undefined || typeof value === 'boolean' ? { kind: 'boolean' } : json;
    case 'number':
    case 'integer':
      return value === undefined || typeof value === 'number' || value instanceof Unreadable
        ? { kind: 'number', integer: type === 'integer' }
        : json;
    case 'string':
      return stringShape(schema, value);
    case 'array':
      return listShape(schema, value, root, depth);
    case 'object':
      return depth < deepest ? objectShape(schema, value) : json;
    default:
      break;
  }
  const types = Array.isArray(type) ? type : ['string', 'number', 'boolean', 'object'];
  return schema.not || schema.if ? json : { kind: 'any', types };
}

function listShape(schema: Schema, value: unknown, root: Schema, depth: number): Shape {
  if (schema.prefixItems || (value !== undefined && !Array.isArray(value)) || depth >= deepest) return json;
  const items = resolve(schema.items ?? true, root);
  const options = items.nullable ? null : optionsOf(items.schema, root);
  const list: unknown[] = value ?? [];
  const plain =
    options &&
    options.length > 1 &&
    list.every((v, i) => options.some((o) => equal(o.value, v)) && list.findIndex((w) => equal(v, w)) === i);
  if (plain) return { kind: 'checks', options };
  return { kind: 'list', items: schema.items ?? true };
}
