import { useId, useState, type ChangeEvent } from 'react';
import { useLang } from '../../i18n/texts';
import type { ControlProps } from './form';
import { Labelled, useShownErrors, type Given } from './Labelled';
import { readNumber, writeNumber } from './read';
import { texts } from './texts';
import { equal, Unreadable } from './types';
import { localOf, type Shape } from './shape';
import css from './schemaform.module.css';

/** A cleared text is unset, unless it is required and may be empty. */
function afterClearing({ required, schema, empty, nullable, value }: ControlProps) {
  const blank =
    required && !nullable && typeof value === 'string' && !schema.minLength && !schema.pattern && !schema.format;
  return blank ? '' : empty;
}

export function TextControl({ shape, ...p }: ControlProps & { shape: Shape & { kind: 'string' } }) {
  const { shownErrors, onBlur } = useShownErrors(p.errors);
  const [long] = useState(shape.long); // a field that is replaced while typing would lose the caret
  const listID = useId();
  const text = typeof p.value === 'string' ? p.value : '';
  const examples = (p.schema.examples ?? []).filter((e) => typeof e === 'string');
  const change = (e: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
    p.onChange(e.target.value === '' ? afterClearing(p) : e.target.value);
  const common = (given: Given) => ({
    ...given,
    value: text,
    onChange: change,
    placeholder: p.value === null ? texts.t('none') : undefined,
    autoComplete: 'off',
    spellCheck: shape.input === 'text',
  });
  if (shape.input === 'date-time') return <DateTimeControl {...p} />;
  if (shape.input === 'password') return <SecretControl {...p} />;
  return (
    <Labelled of={p} shownErrors={shownErrors} onBlur={onBlur}>
      {(given) =>
        long && shape.input === 'text' ? (
          <textarea rows={Math.min(10, Math.max(3, text.split('\n').length))} {...common(given)} />
        ) : (
          <>
            <input
              type={shape.input === 'date' ? 'date' : 'text'}
              inputMode={shape.input === 'email' || shape.input === 'url' ? shape.input : undefined}
              list={examples.length ? listID : undefined}
              {...common(given)}
            />
            {examples.length > 0 && (
              <datalist id={listID}>
                {examples.map((e) => (
                  <option key={e}>{e}</option>
                ))}
              </datalist>
            )}
          </>
        )
      }
    </Labelled>
  );
}

function DateTimeControl(p: ControlProps) {
  const t = texts.use();
  const { shownErrors, onBlur } = useShownErrors(p.errors);
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const hint = [p.schema.description, t('zone', { zone })].filter(Boolean).join(' ');
  return (
    <Labelled of={p} hint={hint} shownErrors={shownErrors} onBlur={onBlur}>
      {(given) => (
        <input
          type="datetime-local"
          step="any"
          {...given}
          value={typeof p.value === 'string' ? (localOf(p.value) ?? '') : ''}
          onChange={(e) => p.onChange(e.target.value === '' ? p.empty : new Date(e.target.value).toISOString())}
        />
      )}
    </Labelled>
  );
}

function SecretControl(p: ControlProps) {
  const t = texts.use();
  const { shownErrors, onBlur } = useShownErrors(p.errors);
  const [shown, setShown] = useState(false);
  return (
    <Labelled of={p} shownErrors={shownErrors} onBlur={onBlur}>
      {(given) => (
        <div className={css.beside}>
          <input
            type={shown ? 'text' : 'password'}
            autoComplete="new-password"
            spellCheck={false}
            {...given}
            value={typeof p.value === 'string' ? p.value : ''}
            onFocus={(e) => e.target.select()}
            onChange={(e) => p.onChange(e.target.value === '' ? p.empty : e.target.value)}
          />
          <button
            type="button"
            aria-label={t(shown ? 'hide.of' : 'show.of', { name: p.name })}
            onClick={() => setShown(!shown)}
          >
            {t(shown ? 'hide' : 'show')}
          </button>
        </div>
      )}
    </Labelled>
  );
}

/** Numbers are edited as text: the browser's number field returns nothing for unreadable input, changes with the
 * mouse wheel, and accepts only one decimal separator. */
export function NumberControl({ integer, ...p }: ControlProps & { integer: boolean }) {
  const lang = useLang();
  const { shownErrors, onBlur } = useShownErrors(p.errors);
  const [typed, setTyped] = useState<string | null>(null);
  const displayed =
    p.value instanceof Unreadable ? p.value.text : typeof p.value === 'number' ? writeNumber(p.value, lang) : '';
  const same = typed !== null && equal(readNumber(typed, lang) ?? p.empty, p.value);
  return (
    <Labelled of={p} shownErrors={shownErrors} onBlur={onBlur}>
      {(given) => (
        <input
          type="text"
          inputMode={integer ? 'numeric' : 'decimal'}
          autoComplete="off"
          data-type="number"
          {...given}
          value={same ? typed : displayed}
          placeholder={p.value === null ? texts.t('none') : undefined}
          onChange={(e) => {
            setTyped(e.target.value);
            p.onChange(readNumber(e.target.value, lang) ?? p.empty);
          }}
        />
      )}
    </Labelled>
  );
}
