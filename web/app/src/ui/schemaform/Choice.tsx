import { useId, useState } from 'react';
import { useForm, type ControlProps } from './form';
import { Labelled, LabelledGroup, useShownErrors } from './Labelled';
import type { Option } from './shape';
import { texts } from './texts';
import { equal } from './types';
import css from './schemaform.module.css';

const fewOptions = 4; // the most that are shown as radio buttons

/** The choices, preceded by the unset one, and followed by the current value if it is none of them. */
function useOptions(p: ControlProps, options: Option[]): Option[] {
  const t = texts.use();
  const fallback = options.find((o) => equal(o.value, p.schema.default))?.label;
  const known = options.some((o) => equal(o.value, p.value));
  const unset = {
    value: undefined,
    label: fallback === undefined ? t('unset') : t('unset.default', { value: fallback }),
  };
  return [
    ...(p.required && p.value !== undefined ? [] : [unset]),
    ...options,
    ...(p.nullable && !options.some((o) => o.value === null) ? [{ value: null, label: t('none') }] : []),
    ...(known || p.value === undefined || p.value === null
      ? []
      : [{ value: p.value, label: t('old', { value: String(p.value) }) }]),
  ];
}

export function EnumControl({ options, ...p }: ControlProps & { options: Option[] }) {
  const t = texts.use();
  const { disabled } = useForm();
  const { shownErrors, onBlur } = useShownErrors(p.errors);
  const name = useId();
  const offered = useOptions(p, options);
  if (options.length > fewOptions) {
    return (
      <Labelled of={p} shownErrors={shownErrors} onBlur={onBlur}>
        {(given) => (
          <select
            {...given}
            value={offered.findIndex((o) => equal(o.value, p.value))}
            onChange={(e) => p.onChange(offered[Number(e.target.value)]?.value)}
          >
            {offered.map((o, i) => (
              <option key={i} value={i}>
                {o.value === undefined && p.required ? t('choose') : o.label}
              </option>
            ))}
          </select>
        )}
      </Labelled>
    );
  }
  // Radio buttons need no button for "not chosen yet".
  const radios = p.required ? offered.filter((o) => o.value !== undefined) : offered;
  return (
    <LabelledGroup of={p} shownErrors={shownErrors} role="radiogroup">
      <div className={css.choices} onBlur={onBlur}>
        {radios.map((o, i) => (
          <label key={i}>
            <input
              type="radio"
              name={name}
              disabled={disabled}
              checked={equal(o.value, p.value)}
              onChange={() => p.onChange(o.value)}
            />
            <span>
              {o.label}
              {o.description && <span className="muted small"> {o.description}</span>}
            </span>
          </label>
        ))}
      </div>
    </LabelledGroup>
  );
}

/** A boolean. If it is required and unset, neither option is selected. */
export function BooleanControl(p: ControlProps) {
  const t = texts.use();
  const { shownErrors, onBlur } = useShownErrors(p.errors);
  const [open] = useState(p.nullable || (p.required && typeof p.value !== 'boolean'));
  if (open)
    return (
      <EnumControl
        {...p}
        options={[
          { value: true, label: t('yes') },
          { value: false, label: t('no') },
        ]}
      />
    );
  const ticked = typeof p.value === 'boolean' ? p.value : p.schema.default === true;
  return (
    <Labelled of={p} hint={p.schema.description ?? ''} shownErrors={shownErrors} onBlur={onBlur} check>
      {(given) => <input type="checkbox" {...given} checked={ticked} onChange={(e) => p.onChange(e.target.checked)} />}
    </Labelled>
  );
}

/** Several of a few: checkboxes. The order of the value is kept. */
export function ChecksControl({ options, ...p }: ControlProps & { options: Option[] }) {
  const { disabled } = useForm();
  const { shownErrors, onBlur } = useShownErrors(p.errors);
  const chosen: unknown[] = Array.isArray(p.value) ? p.value : [];
  const set = (option: Option, on: boolean) => {
    const next = on ? [...chosen, option.value] : chosen.filter((v) => !equal(v, option.value));
    p.onChange(next.length === 0 && !p.required && (p.schema.minItems ?? 0) > 0 ? p.empty : next);
  };
  return (
    <LabelledGroup of={p} shownErrors={shownErrors} role="group">
      <div className={css.choices} onBlur={onBlur}>
        {options.map((o, i) => (
          <label key={i}>
            <input
              type="checkbox"
              disabled={disabled}
              checked={chosen.some((v) => equal(v, o.value))}
              onChange={(e) => set(o, e.target.checked)}
            />
            <span>
              {o.label}
              {o.description && <span className="muted small"> {o.description}</span>}
            </span>
          </label>
        ))}
      </div>
    </LabelledGroup>
  );
}
