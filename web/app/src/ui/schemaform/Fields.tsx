import { useId, useState } from 'react';
import { focusAfter } from '../focus';
import { useForm, type ControlProps } from './form';
import { useShownErrors, Wrong } from './Labelled';
import { Node } from './Node';
import { below, within } from './pointer';
import { resolve } from './resolve';
import type { Shape } from './shape';
import { texts } from './texts';
import { isFields, type Fields as Values } from './types';
import css from './schemaform.module.css';

type ObjectShape = Shape & { kind: 'object' };

/** The fields of an object, one below the other, without a frame. */
export function FieldsOf({ shape, hide, ...p }: ControlProps & { shape: ObjectShape; hide?: string }) {
  const { root, label } = useForm();
  const { shownErrors } = useShownErrors(p.errors.filter((e) => !shownIn(shape, p.at, e.pointer)));
  const id = useId();
  const values: Values = isFields(p.value) ? p.value : {};
  const set = (name: string, next: unknown) => {
    const { [name]: _, ...rest } = values;
    p.onChange(next === undefined ? rest : { ...values, [name]: next }); // a name keeps its position
  };
  const names = (name: string) => {
    const { schema } = resolve(shape.properties.find(([n]) => n === name)?.[1], root);
    return schema.title ?? label?.(name) ?? name;
  };
  const child = (name: string) => ({
    value: values[name],
    at: below(p.at, name),
    errors: p.errors.filter((e) => within(e.pointer, below(p.at, name))),
    depth: p.depth + 1,
  });
  return (
    <>
      {shape.properties
        .filter(([name]) => name !== hide)
        .map(([name, property]) => (
          <Node
            key={name}
            {...child(name)}
            schema={property}
            name={names(name)}
            required={p.schema.required?.includes(name) === true}
            onChange={(next) => set(name, next)}
          />
        ))}
      {(shape.extra.length > 0 || shape.more !== null) && (
        <Rows shape={shape} values={values} child={child} set={set} />
      )}
      <Wrong id={id} shownErrors={shownErrors} at={p.at} />
    </>
  );
}

const shownIn = (shape: ObjectShape, at: string, pointer: string) =>
  [...shape.properties.map(([name]) => name), ...shape.extra].some((name) => within(pointer, below(at, name)));

interface RowsProps {
  shape: ObjectShape;
  values: Values;
  child: (name: string) => { value: unknown; at: string; errors: ControlProps['errors']; depth: number };
  set: (name: string, next: unknown) => void;
}

/** Values under names that the schema does not list: rows of a name and a value. */
function Rows({ shape, values, child, set }: RowsProps) {
  const t = texts.use();
  const { disabled } = useForm();
  const [name, setName] = useState('');
  const [added, setAdded] = useState<string[]>([]); // named, but without a value yet
  const id = useId();
  const there = Object.hasOwn(values, name) || shape.properties.some(([n]) => n === name) || added.includes(name);
  const add = () => {
    if (!name || there) return;
    focusAfter(
      () => {
        setAdded([...added, name]);
        setName('');
      },
      () =>
        document
          .getElementById(`${id}rows`)
          ?.querySelector<HTMLElement>(':scope > div:nth-last-child(1) :is(input, textarea, select)'),
    );
  };
  const shown = [...shape.extra, ...added.filter((n) => !shape.extra.includes(n))];
  return (
    <>
      <div id={`${id}rows`} className={css.items}>
        {shown.map((n) => (
          <div key={n} className={css.item}>
            <div className="grow">
              <Node
                {...child(n)}
                schema={shape.more ?? true}
                name={n}
                required={Object.hasOwn(values, n)}
                onChange={(next) => {
                  if (next === undefined && !added.includes(n)) setAdded([...added, n]);
                  set(n, next);
                }}
              />
            </div>
            <div className={css.tools}>
              <button
                type="button"
                className="plain small"
                aria-label={t('remove.name', { name: n })}
                title={t('remove.name', { name: n })}
                disabled={disabled}
                onClick={() => {
                  setAdded(added.filter((a) => a !== n));
                  set(n, undefined);
                }}
              >
                ✕
              </button>
            </div>
          </div>
        ))}
      </div>
      {shape.more !== null && (
        <div className={css.add}>
          <div className="row">
            <input
              className={css.name}
              value={name}
              disabled={disabled}
              aria-label={t('row.name')}
              placeholder={t('row.name')}
              aria-invalid={there && name ? true : undefined}
              onChange={(e) => setName(e.target.value)}
              onKeyDown={(e) => {
                if (e.key === 'Enter' && !e.nativeEvent.isComposing) {
                  e.preventDefault();
                  add();
                }
              }}
            />
            <button type="button" className="small" disabled={disabled || !name || there} onClick={add}>
              {t('row.add')}
            </button>
          </div>
          {there && name && (
            <p className="wrong small" role="status">
              {t('row.there')}
            </p>
          )}
        </div>
      )}
    </>
  );
}
