import type { FieldError } from '../../api/problem';

/** The subset of JSON Schema that forms support. */
export interface Schema {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema | boolean>;
  patternProperties?: Record<string, Schema | boolean>;
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema | boolean;
  minProperties?: number;
  maxProperties?: number;
  required?: string[];
  items?: Schema | boolean;
  prefixItems?: (Schema | boolean)[];
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  format?: string;
  contentMediaType?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  oneOf?: (Schema | boolean)[];
  anyOf?: (Schema | boolean)[];
  allOf?: (Schema | boolean)[];
  not?: Schema | boolean;
  if?: Schema | boolean;
  then?: Schema | boolean;
  else?: Schema | boolean;
  $ref?: string;
  writeOnly?: boolean;
  readOnly?: boolean;
  [more: string]: unknown;
}

/** The error of a field; `mine` if the page found it, not the server. */
export interface Mistake extends FieldError {
  mine?: boolean;
}

export type Fields = Record<string, unknown>;

/** Typed text that could not be parsed. It takes the place of the value, so that no input is lost and no invalid
 * input is taken as valid. */
export class Unreadable {
  constructor(
    readonly text: string,
    readonly as: 'number' | 'json',
  ) {}
  toJSON() {
    return this.text;
  }
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Unreadable);

/** Whether two values are the same JSON; the order of an object's names does not count. */
export function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((v, i) => equal(v, b[i]));
  if (!isFields(a) || !isFields(b)) return typeof a === 'number' && a === b; // 0 and -0
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((n) => Object.hasOwn(b, n) && equal(a[n], b[n]));
}
