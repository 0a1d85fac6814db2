import { useRef, type ReactNode } from 'react';
import { focusAfter } from '../focus';
import { texts as uiTexts } from '../texts';
import { FieldsOf } from './Fields';
import { useForm, type ControlProps } from './form';
import { Labelled, useShownErrors } from './Labelled';
import { shapeOf, type Shape } from './shape';
import { startOf } from './start';
import { texts } from './texts';
import { isFields, type Fields } from './types';
import css from './schemaform.module.css';

/** A nested object. An optional one is added and removed on demand: its presence has a meaning. */
export function ObjectControl({ shape, ...p }: ControlProps & { shape: Shape & { kind: 'object' } }) {
  return (
    <Frame {...p}>
      <FieldsOf {...p} shape={shape} />
    </Frame>
  );
}

function Frame({ children, ...p }: ControlProps & { children: ReactNode }) {
  const t = texts.use();
  const words = uiTexts.use();
  const { root, disabled } = useForm();
  const there = isFields(p.value);
  const loose = !p.required || p.nullable;
  const box = useRef<HTMLFieldSetElement>(null);
  const change = (to: unknown, focus: string) =>
    focusAfter(
      () => p.onChange(to),
      () => box.current?.querySelector<HTMLElement>(focus),
    );
  if (p.depth === 0) return children;
  return (
    <fieldset ref={box} className={`field ${css.group}`} data-pointer={p.at}>
      <legend className={p.quiet ? 'visually-hidden' : undefined}>
        {p.name}
        {p.required && <span className="muted small"> {words('required')}</span>}
      </legend>
      {p.schema.description && <p className="hint">{p.schema.description}</p>}
      {!there && loose ? (
        <button
          type="button"
          className={`small ${css.add}`}
          data-do="make"
          disabled={disabled}
          onClick={() => change(startOf({ ...p.schema, type: 'object' }, root) ?? {}, 'input, textarea, select')}
        >
          {t('add.to', { name: p.name })}
        </button>
      ) : (
        children
      )}
      {there && loose && (
        <button
          type="button"
          className={`plain small ${css.add}`}
          disabled={disabled}
          onClick={() => change(p.required ? null : p.empty, '[data-do=make]')}
        >
          {t('remove.name', { name: p.name })}
        </button>
      )}
    </fieldset>
  );
}

/** One of several kinds of object: the kind is chosen, and its fields follow. */
export function VariantsControl({ shape, ...p }: ControlProps & { shape: Shape & { kind: 'variants' } }) {
  const t = texts.use();
  const { root } = useForm();
  const { shownErrors, onBlur } = useShownErrors(
    p.errors.filter((e) => e.pointer === `${p.at}/${shape.by}` || (shape.active < 0 && !isFields(p.value))),
  );
  const before = useRef<Record<number, Fields>>({}); // the values of each kind, in case it is chosen again
  const active = shape.variants[shape.active];
  const choose = (i: number) => {
    const now: Fields = isFields(p.value) ? p.value : {};
    if (shape.active >= 0) before.current[shape.active] = now;
    const next = shape.variants[i];
    if (!next) {
      p.onChange(p.depth === 0 ? {} : p.empty);
      return;
    }
    const known = next.schema.properties ?? {};
    const kept = Object.fromEntries(Object.entries(now).filter(([name]) => Object.hasOwn(known, name)));
    p.onChange({
      ...(startOf({ ...next.schema, type: 'object' }, root) as Fields),
      ...before.current[i],
      ...kept,
      [shape.by]: next.is,
    });
  };
  const inner = active && shapeOf({ ...active.schema, type: 'object' }, p.value, root, p.depth);
  const chooser = {
    ...p,
    schema: active ? { description: active.schema.description } : {},
    name: p.depth === 0 || !p.quiet ? p.name || t('kind') : t('kind'),
    quiet: false,
  };
  return (
    <div className={p.depth === 0 ? 'stack' : `field ${css.group}`} data-pointer={p.at}>
      <Labelled of={chooser} shownErrors={shownErrors} onBlur={onBlur}>
        {(given) => (
          <select {...given} value={shape.active} onChange={(e) => choose(Number(e.target.value))}>
            {(shape.active < 0 || !p.required) && <option value={-1}>{p.required ? t('choose') : t('unset')}</option>}
            {shape.variants.map((v, i) => (
              <option key={i} value={i}>
                {v.title}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      {active && inner?.kind === 'object' && <FieldsOf {...p} schema={active.schema} shape={inner} hide={shape.by} />}
    </div>
  );
}
