// Validates a value against its schema before it is sent, with the server's texts.
import { below } from './pointer';
import { placeOf } from './read';
import { asSchema, lookUp } from './resolve';
import { texts } from './texts';
import { equal, isFields, Unreadable, type Mistake, type Schema } from './types';

const maxMistakes = 50; // the most errors that are returned
const deepest = 60;
const maxSteps = 20_000; // bounds the time of validation

interface Walk {
  root: Schema;
  found: Mistake[];
  left: { steps: number };
}

/** All errors of a value; pointers begin with `at`. */
export function checkSchema(schema: Schema, value: unknown, at = ''): Mistake[] {
  const walk: Walk = { root: schema, found: [], left: { steps: maxSteps } };
  look(walk, schema, value === undefined ? {} : value, at, 0);
  return walk.found;
}

function add(walk: Walk, pointer: string, code: string, message: string) {
  if (walk.found.length < maxMistakes && !walk.found.some((m) => m.pointer === pointer && m.code === code))
    walk.found.push({ pointer, code, message, mine: true });
}

const fits = (walk: Walk, schema: unknown, value: unknown, depth: number) => {
  const inner: Walk = { root: walk.root, found: [], left: walk.left };
  look(inner, schema, value, '', depth + 1);
  return inner.found.length === 0;
};

const typeOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
const isOf = (value: unknown, type: string) => (type === 'integer' ? Number.isInteger(value) : type === typeOf(value));

function look(walk: Walk, given: unknown, value: unknown, at: string, depth: number): void {
  if (depth > deepest || walk.found.length >= maxMistakes || walk.left.steps-- <= 0) return;
  const schema = asSchema(given);
  if (value instanceof Unreadable) {
    const place = value.as === 'json' ? placeOf(value.text) : null;
    add(
      walk,
      at,
      'type',
      place ? texts.t('json.at', { line: place.line, column: place.column }) : texts.t('wrong.number'),
    );
    return;
  }
  if (value === undefined) {
    add(walk, at, 'required', texts.t('wrong.required'));
    return;
  }
  if (typeof schema.$ref === 'string') look(walk, lookUp(schema.$ref, walk.root), value, at, depth + 1);
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length && !types.some((t) => isOf(value, t))) {
    const name = (t: string) => (texts.t.has(`type.${t}`) ? texts.t(`type.${t}` as 'type.string') : t);
    add(
      walk,
      at,
      'type',
      texts.t('wrong.type', { want: types.map(name).join(texts.t('or')), got: name(typeOf(value)) }),
    );
    return;
  }
  checkChoices(walk, schema, value, at);
  if (typeof value === 'string') checkText(walk, schema, value, at);
  if (typeof value === 'number') checkNumber(walk, schema, value, at);
  if (Array.isArray(value)) checkList(walk, schema, value, at, depth);
  else if (isFields(value)) checkFields(walk, schema, value, at, depth);
  checkParts(walk, schema, value, at, depth);
}

function checkChoices(walk: Walk, schema: Schema, value: unknown, at: string) {
  const choices = Object.hasOwn(schema, 'const') ? [schema.const] : schema.enum;
  if (Array.isArray(choices) && !choices.some((c) => equal(c, value)))
    add(walk, at, 'enum', texts.t('wrong.enum', { list: choices.map((c) => JSON.stringify(c)).join(', ') }));
}

const formats: Record<string, RegExp> = {
  date: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
  'date-time': /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/,
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^[A-Za-z][A-Za-z0-9+.-]*:\S*$/,
};

function checkText(walk: Walk, schema: Schema, value: string, at: string) {
  const length = [...value].length;
  if (schema.minLength !== undefined && length < schema.minLength)
    add(walk, at, 'min_length', texts.t('wrong.minLength', { n: schema.minLength }));
  if (schema.maxLength !== undefined && length > schema.maxLength)
    add(walk, at, 'max_length', texts.t('wrong.maxLength', { n: schema.maxLength }));
  if (schema.pattern !== undefined && !matches(schema.pattern, value))
    add(walk, at, 'pattern', texts.t('wrong.pattern', { pattern: schema.pattern }));
  const format = formats[schema.format ?? ''];
  if (format && !format.test(value))
    add(
      walk,
      at,
      'format',
      texts.t('wrong.format', {
        name: texts.t.has(`format.${schema.format}`)
          ? texts.t(`format.${schema.format}` as 'format.date')
          : schema.format!,
      }),
    );
}

/** Whether a text matches a pattern; patterns that this browser cannot compile are left to the server. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}

function checkNumber(walk: Walk, schema: Schema, value: number, at: string) {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (minimum !== undefined && value < minimum) add(walk, at, 'minimum', texts.t('wrong.minimum', { limit: minimum }));
  if (maximum !== undefined && value > maximum) add(walk, at, 'maximum', texts.t('wrong.maximum', { limit: maximum }));
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    add(walk, at, 'minimum', texts.t('wrong.above', { limit: exclusiveMinimum }));
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    add(walk, at, 'maximum', texts.t('wrong.below', { limit: exclusiveMaximum }));
  if (multipleOf) {
    const times = value / multipleOf;
    if (Math.abs(times - Math.round(times)) > 1e-9 * Math.max(1, Math.abs(times)))
      add(walk, at, 'multiple_of', texts.t('wrong.multiple', { step: multipleOf }));
  }
}

function checkList(walk: Walk, schema: Schema, value: unknown[], at: string, depth: number) {
  if (schema.minItems !== undefined && value.length < schema.minItems)
    add(walk, at, 'min_items', texts.t('wrong.minItems', { n: schema.minItems }));
  if (schema.maxItems !== undefined && value.length > schema.maxItems)
    add(walk, at, 'max_items', texts.t('wrong.maxItems', { n: schema.maxItems }));
  if (schema.uniqueItems && value.length < 1000 && value.some((v, i) => value.findIndex((w) => equal(v, w)) < i))
    add(walk, at, 'unique', texts.t('wrong.unique'));
  const first = schema.prefixItems ?? [];
  for (const [i, item] of value.entries()) look(walk, first[i] ?? schema.items ?? true, item, below(at, i), depth + 1);
}

function checkFields(walk: Walk, schema: Schema, value: Record<string, unknown>, at: string, depth: number) {
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  for (const name of schema.required ?? [])
    if (!names.includes(name)) add(walk, below(at, name), 'required', texts.t('wrong.required'));
  if (schema.minProperties !== undefined && names.length < schema.minProperties)
    add(walk, at, 'min_properties', texts.t('wrong.minItems', { n: schema.minProperties }));
  if (schema.maxProperties !== undefined && names.length > schema.maxProperties)
    add(walk, at, 'max_properties', texts.t('wrong.maxItems', { n: schema.maxProperties }));
  for (const name of names) {
    const here = below(at, name);
    if (schema.propertyNames !== undefined && !fits(walk, schema.propertyNames, name, depth))
      add(walk, here, 'name', texts.t('wrong.name'));
    const patterns = Object.entries(schema.patternProperties ?? {})
      .filter(([pattern]) => matches(pattern, name))
      .map(([, s]) => s);
    const own = Object.hasOwn(schema.properties ?? {}, name) ? [schema.properties![name]] : [];
    for (const part of [...own, ...patterns]) look(walk, part, value[name], here, depth + 1);
    if (own.length + patterns.length > 0) continue;
    if (schema.additionalProperties === false) add(walk, here, 'unknown_field', texts.t('wrong.unknown', { name }));
    else look(walk, schema.additionalProperties ?? true, value[name], here, depth + 1);
  }
}

function checkParts(walk: Walk, schema: Schema, value: unknown, at: string, depth: number) {
  for (const part of schema.allOf ?? []) look(walk, part, value, at, depth + 1);
  if (schema.if !== undefined)
    look(walk, (fits(walk, schema.if, value, depth) ? schema.then : schema.else) ?? true, value, at, depth + 1);
  if (schema.not !== undefined && fits(walk, schema.not, value, depth)) add(walk, at, 'not', texts.t('wrong.value'));
  for (const [list, one] of [
    [schema.anyOf, false],
    [schema.oneOf, true],
  ] as const) {
    if (!list?.length) continue;
    const good = list.filter((part) => fits(walk, part, value, depth)).length;
    if (good === 1 || (good > 1 && !one)) continue;
    const meant = good === 0 ? meantOf(walk, list, value) : null;
    if (meant) look(walk, meant, value, at, depth + 1);
    else add(walk, at, 'one_of', texts.t(good ? 'wrong.many' : 'wrong.none'));
  }
}

/** The alternative that a value is meant to match: the one with its fixed values, or its type. */
function meantOf(walk: Walk, list: (Schema | boolean)[], value: unknown): Schema | null {
  const parts = list.map((part) => {
    const schema = asSchema(part);
    return typeof schema.$ref === 'string' ? lookUp(schema.$ref, walk.root) : schema;
  });
  const candidates = parts.filter(
    (part) =>
      (part.type === undefined || [part.type].flat().some((t) => isOf(value, t))) &&
      !Object.hasOwn(part, 'const') &&
      Object.entries(part.properties ?? {}).every(([name, p]) => {
        const property = asSchema(p);
        return !Object.hasOwn(property, 'const') || (isFields(value) && equal(value[name], property.const));
      }),
  );
  return candidates.length === 1 ? candidates[0]! : null;
}
