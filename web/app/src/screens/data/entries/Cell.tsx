import { useState } from 'react';
import type { Column } from '../columns';
import { parseNumber } from '../columns';
import css from '../data.module.css';
import { toolTexts } from '../toolTexts';

interface Props {
  column: Column;
  label: string;
  shown: string;
  value: unknown;
  onSave: (value: string | number) => void;
}

/** A number or short text of an entry, edited in place: Enter or blur saves, Escape cancels. */
export function Cell({ column, label, shown, value, onSave }: Props) {
  const tt = toolTexts.use();
  const [typed, setTyped] = useState<string | null>(null);
  const number = column.kind === 'number';
  if (typed === null)
    return (
      <button
        type="button"
        className={css.editable}
        aria-label={tt('cell.edit', { field: label, value: shown.slice(0, 80) })}
        title={tt('cell.how')}
        onClick={() => setTyped(value === undefined || value === null ? '' : String(value))}
      >
        {shown || '–'}
      </button>
    );
  const parsed = number ? parseNumber(typed) : typed;
  const wrong = parsed === null || parsed === '';
  const finish = () => {
    if (!wrong && parsed !== value) onSave(parsed);
    setTyped(null);
  };
  return (
    <input
      className={css.editing}
      aria-label={label}
      aria-invalid={wrong || undefined}
      inputMode={number ? 'decimal' : undefined}
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was pressed to be typed into
      autoFocus
      value={typed}
      onChange={(e) => setTyped(e.target.value)}
      onBlur={finish}
      onKeyDown={(e) => {
        if (e.key === 'Enter' && !wrong) finish();
        if (e.key === 'Escape') setTyped(null);
      }}
    />
  );
}
