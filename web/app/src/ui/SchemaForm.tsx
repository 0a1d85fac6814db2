import { useEffect, useMemo, useRef } from 'react';
import type { FieldError } from '../api/problem';
import { checkSchema } from './schemaform/check';
import { FormContext } from './schemaform/form';
import { Node } from './schemaform/Node';
import { within } from './schemaform/pointer';
import type { Schema } from './schemaform/types';

export { checkSchema } from './schemaform/check';
export { startOf } from './schemaform/start';
export type { Schema } from './schemaform/types';

export interface SchemaFormProps {
  schema: Schema;
  value: unknown;
  onChange: (value: unknown) => void;
  /** The server's errors; pointers are below `at`. */
  errors?: FieldError[];
  /** The pointer of the value in the request, e.g. "/config". */
  at?: string;
  disabled?: boolean;
  /** The label of a property whose schema has no title. */
  label?: (name: string) => string;
  /** The label of the whole value if it is not an object. */
  name?: string;
  /** The number of attempts to submit. Each attempt shows all errors and focuses the first invalid field: `if
   * (checkSchema(schema, value).length) setTries(tries + 1)`. */
  tries?: number;
}

const none: FieldError[] = [];

/** A form made from a JSON Schema. Untouched values are returned unchanged: unset stays unset, and values that do not
 * match the schema are shown, and kept, as JSON. Validate the value with `checkSchema` before sending it, and put
 * `noValidate` on the surrounding form. */
export function SchemaForm({
  schema,
  value,
  onChange,
  errors = none,
  at = '',
  disabled = false,
  label,
  name = '',
  tries = 0,
}: SchemaFormProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (tries > 0)
      box.current
        ?.querySelector<HTMLElement>(
          '[aria-invalid=true]:is(input, textarea, select), [role=radiogroup][aria-invalid=true] input, .wrong',
        )
        ?.focus();
  }, [tries]);
  const form = useMemo(() => ({ root: schema, disabled, label, all: tries > 0 }), [schema, disabled, label, tries]);
  const shownErrors = [...errors.filter((e) => within(e.pointer, at)), ...checkSchema(schema, value, at)];
  return (
    <FormContext value={form}>
      <div className="stack" ref={box}>
        <Node
          schema={schema}
          value={value}
          onChange={onChange}
          at={at}
          errors={shownErrors}
          name={name}
          required
          depth={0}
        />
      </div>
    </FormContext>
  );
}
