import { useEffect, useId, useRef } from 'react';
import { announce } from '../../shell/announce';
import { useForm, type ControlProps } from './form';
import { useShownErrors, Wrong } from './Labelled';
import { Node } from './Node';
import { below, within } from './pointer';
import { resolve } from './resolve';
import { startOf } from './start';
import { texts } from './texts';
import { texts as uiTexts } from '../texts';
import type { Schema } from './types';
import css from './schemaform.module.css';

/** A list of values: each can be edited, moved and removed. */
export function ListControl({ items, ...p }: ControlProps & { items: Schema | boolean }) {
  const t = texts.use();
  const words = uiTexts.use();
  const { root, disabled } = useForm();
  const { shownErrors, onBlur } = useShownErrors(p.errors.filter((e) => e.pointer === p.at));
  const id = useId();
  const box = useRef<HTMLFieldSetElement>(null);
  const focus = useRef<string | null>(null); // what is focused after
  useEffect(() => {
    if (focus.current === null) return;
    box.current?.querySelector<HTMLElement>(focus.current)?.focus();
    focus.current = null;
  });
  const list: unknown[] = Array.isArray(p.value) ? p.value : [];
  const set = (next: unknown[]) => {
    onBlur();
    p.onChange(next.length === 0 && !p.required && (p.schema.minItems ?? 0) > 0 ? p.empty : next);
  };
  const add = () => {
    focus.current = `:scope > ol > li:last-child :is(input, textarea, select, button)`;
    set([...list, startOf(items, root)]);
  };
  const remove = (i: number) => {
    focus.current =
      list.length > 1
        ? `:scope > ol > li:nth-child(${Math.min(i + 1, list.length - 1)}) > * > [data-do=remove]`
        : ':scope > [data-do=add]';
    set(list.filter((_, n) => n !== i));
    announce(t('removed', { n: i + 1 }));
  };
  const move = (i: number, to: number) => {
    const up = to > 0 && (to === list.length - 1 || to < i);
    focus.current = `:scope > ol > li:nth-child(${to + 1}) > * > [data-do=${up ? 'up' : 'down'}]`;
    const next = list.with(i, list[to]).with(to, list[i]);
    set(next);
    announce(t('moved', { n: i + 1, to: to + 1 }));
  };
  const composite = ['object', 'array'].includes(String(resolve(items, root).schema.type));
  return (
    <fieldset
      ref={box}
      className={`field ${css.group}`}
      data-pointer={p.at}
      aria-describedby={shownErrors.length ? `${id}w` : undefined}
    >
      <legend className={p.quiet ? 'visually-hidden' : undefined}>
        {p.name}
        {p.required && <span className="muted small"> {words('required')}</span>}
      </legend>
      {p.schema.description && <p className="hint">{p.schema.description}</p>}
      {list.length > 0 && (
        <ol className={`plain ${css.items}`}>
          {list.map((item, i) => (
            <li key={i} className={composite ? css.big : css.item}>
              <div className="grow">
                <Node
                  schema={items}
                  value={item}
                  at={below(p.at, i)}
                  errors={p.errors.filter((e) => within(e.pointer, below(p.at, i)))}
                  name={t('item', { n: i + 1 })}
                  required
                  depth={p.depth + 1}
                  quiet={!composite}
                  onChange={(next) => set(list.with(i, next))}
                />
              </div>
              <Tools index={i} count={list.length} onMove={(to) => move(i, to)} onRemove={() => remove(i)} />
            </li>
          ))}
        </ol>
      )}
      <button
        type="button"
        className={`small ${css.add}`}
        data-do="add"
        disabled={disabled || list.length >= (p.schema.maxItems ?? Infinity)}
        onClick={add}
      >
        {t('add.item')}
        <span className="visually-hidden"> ({p.name})</span>
      </button>
      <Wrong id={`${id}w`} shownErrors={shownErrors} at={p.at} />
    </fieldset>
  );
}

interface ToolsProps {
  index: number;
  count: number;
  onMove: (to: number) => void;
  onRemove: () => void;
}

/** The buttons of one value: up, down, remove. */
function Tools({ index, count, onMove, onRemove }: ToolsProps) {
  const t = texts.use();
  const { disabled } = useForm();
  const button = (action: string, label: string, sign: string, off: boolean, onClick: () => void) => (
    <button
      type="button"
      className="plain small"
      data-do={action}
      aria-label={label}
      title={label}
      disabled={disabled || off}
      onClick={onClick}
    >
      {sign}
    </button>
  );
  const n = index + 1;
  return (
    <div className={css.tools}>
      {count > 1 && button('up', t('up', { n }), '↑', index === 0, () => onMove(index - 1))}
      {count > 1 && button('down', t('down', { n }), '↓', index === count - 1, () => onMove(index + 1))}
      {button('remove', t('remove.item', { n }), '✕', false, onRemove)}
    </div>
  );
}
