// What a tool type's schema means on screen: table columns, chart values, the single field of a quick form.
import type { Schema } from '../../ui/SchemaForm';

export type Data = Record<string, unknown>;
export type Kind = 'number' | 'boolean' | 'text' | 'json';
export interface Column {
  name: string;
  title?: string;
  kind: Kind;
}

function kindOf(schema: Schema): Kind {
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => type !== 'null');
  if (types.every((type) => type === 'number' || type === 'integer')) return 'number';
  if (types.length === 1 && types[0] === 'boolean') return 'boolean';
  if (types.length === 1 && types[0] === 'string') return 'text';
  return 'json';
}

/** A tool type's schema for a form; `true` and `false` are schemas too, without fields. */
export const schemaOf = (schema: unknown): Schema =>
  typeof schema === 'object' && schema !== null ? (schema as Schema) : {};

/** The fields of a schema, in order. */
export function columnsOf(schema: Schema): Column[] {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const shape = schemaOf(property);
    return { name, title: shape.title, kind: shape.type === undefined ? 'json' : kindOf(shape) };
  });
}

/** An average with at least one decimal, or as many as its values have; small ones with their leading digits. */
export function meanOf({
  mean,
  min,
  max,
  last,
}: Record<'mean' | 'min' | 'max' | 'last', number | null>): number | null {
  if (mean === null || Math.abs(mean) < 1) return mean && Number(mean.toPrecision(3));
  const decimals = [min, max, last].map((n) => String(n).split('.')[1]?.length ?? 0);
  return Number(mean.toFixed(Math.max(1, ...decimals)));
}

export const numbersOf = (schema: Schema): Column[] => columnsOf(schema).filter((column) => column.kind === 'number');

/** The initial value of a new entry: required booleans are false. */
export function startOf(schema: Schema): Data {
  const start: Data = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const { default: given, type } = schemaOf(property);
    if (given !== undefined) start[name] = given;
    else if (type === 'boolean' && schema.required?.includes(name)) start[name] = false;
  }
  return start;
}

/** The only required field, if there is exactly one: then a one-line form suffices. */
export function quickField(schema: Schema): Column | null {
  const asked = columnsOf(schema).filter(
    (column) => schema.required?.includes(column.name) && !(column.name in startOf(schema)),
  );
  const [only] = asked;
  const plain =
    only &&
    (only.kind === 'number' || only.kind === 'text') &&
    schemaOf(schema.properties?.[only.name]).enum === undefined;
  return asked.length === 1 && plain ? only : null;
}

/** Parses a number as people type it: 72.5, 72,5, 1 000. Null if it is invalid. */
export function parseNumber(text: string): number | null {
  const plain = text.replace(/[\s\u00a0\u202f]/g, '').replace(',', '.');
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return null;
  const n = Number(plain);
  return Number.isFinite(n) ? n : null;
}

/** An instant for <input type="datetime-local">, in the browser's zone. */
export function toInput(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The reverse; an untouched value keeps its seconds. */
export function fromInput(text: string, before?: string): string | undefined {
  if (!text) return undefined;
  if (before && toInput(before) === text) return before;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
