import { useState } from 'react';
import { useForm, type ControlProps } from './form';
import { Labelled, useShownErrors } from './Labelled';
import { Node } from './Node';
import { readJSON, writeJSON } from './read';
import { texts } from './texts';
import { equal, Unreadable } from './types';
import css from './schemaform.module.css';

/** A value as JSON, parsed while it is typed: for values that no other control can show completely. */
export function JSONControl({ onTyping, ...p }: ControlProps & { onTyping: (now: boolean) => void }) {
  const t = texts.use();
  const { shownErrors, onBlur } = useShownErrors(p.errors);
  const [typed, setTyped] = useState<string | null>(null);
  const same = typed !== null && equal(readJSON(typed) ?? p.empty, p.value) && !(p.value instanceof Unreadable);
  const text = same ? typed : writeJSON(p.value);
  const hint = [p.schema.description, t('json.hint')].filter(Boolean).join(' ');
  // A syntax error is shown while typing: there is no other error to show.
  const now = p.value instanceof Unreadable ? p.errors : shownErrors;
  return (
    <Labelled of={p} hint={hint} shownErrors={now} onBlur={onBlur}>
      {(given) => (
        <textarea
          className="mono"
          rows={Math.min(14, Math.max(2, text.split('\n').length))}
          spellCheck={false}
          autoComplete="off"
          {...given}
          value={text}
          onFocus={() => onTyping(true)}
          onBlur={() => onTyping(false)}
          onChange={(e) => {
            setTyped(e.target.value);
            p.onChange(readJSON(e.target.value) ?? p.empty);
          }}
        />
      )}
    </Labelled>
  );
}

const kinds = ['string', 'number', 'boolean', 'object'] as const;
type Kind = (typeof kinds)[number];

const kindOf = (value: unknown): Kind | null => {
  if (value === undefined) return null;
  if (value instanceof Unreadable) return value.as === 'number' ? 'number' : 'object';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
};

/** A value whose type the schema does not define: shown by its current type, or a chosen one. */
export function AnyControl({ types, ...p }: ControlProps & { types: string[] }) {
  const t = texts.use();
  const { disabled } = useForm();
  const offered = kinds.filter(
    (k) =>
      types.includes(k) || (k === 'number' && types.includes('integer')) || (k === 'object' && types.includes('array')),
  );
  const [chosen, setChosen] = useState<Kind>(offered[0] ?? 'object');
  const kind = kindOf(p.value) ?? chosen;
  const { type: _, ...words } = p.schema;
  const as = kind === 'object' ? { ...words, not: {} } : { ...words, type: kind }; // `not` is shown as JSON
  return (
    <div className={css.any}>
      <div className="grow">
        <Node {...p} schema={as} />
      </div>
      {offered.length > 1 && (
        <select
          aria-label={t('kind.of', { name: p.name })}
          disabled={disabled}
          value={kind}
          onChange={(e) => {
            setChosen(e.target.value as Kind);
            p.onChange(p.empty);
          }}
        >
          {offered.map((k) => (
            <option key={k} value={k}>
              {t(`kind.${k}`)}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}
