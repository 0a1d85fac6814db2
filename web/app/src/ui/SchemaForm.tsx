import { useId } from 'react';
import { Field } from './Field';
import { texts } from './texts';
import type { FieldError } from '../api/problem';

/** The part of JSON Schema that forms are made from. */
export interface Schema {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  format?: string;
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  oneOf?: Schema[];
  anyOf?: Schema[];
  writeOnly?: boolean;
  [more: string]: unknown;
}

export interface SchemaFormProps {
  schema: Schema;
  value: unknown;
  onChange: (value: unknown) => void;
  /** What the server said is wrong; pointers are below `at`. */
  errors?: FieldError[];
  /** The pointer of the value in what is sent, e.g. "/config". */
  at?: string;
  disabled?: boolean;
  /** The words for a property when its schema has no title. */
  label?: (name: string) => string;
}

/** A form made from a JSON Schema. */
export function SchemaForm({ schema, value, onChange, errors = [], at = '', disabled, label }: SchemaFormProps) {
  const t = texts.use();
  const id = useId();
  const object = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const set = (name: string, next: unknown) => {
    const { [name]: _, ...rest } = object;
    onChange(next === undefined ? rest : { ...rest, [name]: next });
  };
  return (
    <div className="stack" id={id}>
      {Object.entries(schema.properties ?? {}).map(([name, property]) => {
        const wrong = errors.find((e) => e.pointer === `${at}/${name}`)?.message;
        const words = property.title ?? label?.(name) ?? name;
        const common = { label: words, hint: property.description, wrong, required: schema.required?.includes(name) };
        const now = object[name];
        if (property.enum) {
          return (
            <Field key={name} {...common}>
              <select disabled={disabled} value={JSON.stringify(now) ?? ''} onChange={(e) => set(name, e.target.value ? JSON.parse(e.target.value) : undefined)}>
                <option value="">{t('form.unset')}</option>
                {property.enum.map((choice) => <option key={JSON.stringify(choice)} value={JSON.stringify(choice)}>{String(choice)}</option>)}
              </select>
            </Field>
          );
        }
        if (property.type === 'boolean') {
          return <Field key={name} {...common} required={false} check><input type="checkbox" disabled={disabled} checked={now === true} onChange={(e) => set(name, e.target.checked)} /></Field>;
        }
        if (property.type === 'number' || property.type === 'integer') {
          return (
            <Field key={name} {...common}>
              <input type="number" step={property.type === 'integer' ? 1 : 'any'} min={property.minimum} max={property.maximum} disabled={disabled}
                value={typeof now === 'number' ? now : ''} onChange={(e) => set(name, e.target.value === '' ? undefined : e.target.valueAsNumber)} />
            </Field>
          );
        }
        return (
          <Field key={name} {...common}>
            <input type={property.writeOnly ? 'password' : 'text'} disabled={disabled} maxLength={property.maxLength}
              value={typeof now === 'string' ? now : now === undefined ? '' : JSON.stringify(now)} onChange={(e) => set(name, e.target.value === '' ? undefined : e.target.value)} />
          </Field>
        );
      })}
    </div>
  );
}
