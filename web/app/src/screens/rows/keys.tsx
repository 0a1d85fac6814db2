import { useRef } from 'react';
import { useKeys, useKeysOn } from '../../ui/keys';
import css from './rows.module.css';

/** J and K move through the rows of a list; a letter presses the button with that `data-key` in the focused row.
 * Returns the ref of the list. */
export function useRowKeys() {
  const list = useRef<HTMLUListElement>(null);
  useKeys((key) => {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-row-main]') ?? [])];
    const at = rows.findIndex((row) => row.closest('li')?.contains(document.activeElement));
    if (key === 'j' || key === 'k') {
      const next = rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + (key === 'j' ? 1 : -1)))];
      next?.focus();
      return next !== undefined;
    }
    const button = rows[at]?.closest('li')?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
    button?.click();
    return button != null;
  });
  return list;
}

/** The shortcuts of a list in one line, while single-key shortcuts are enabled. */
export function KeyLine({ keys }: { keys: [stroke: string, what: string][] }) {
  const on = useKeysOn();
  if (!on) return null;
  return (
    <p className={`meta ${css.keys}`}>
      {keys.map(([stroke, what]) => (
        <span key={stroke}>
          <kbd>{stroke}</kbd> {what}
        </span>
      ))}
    </p>
  );
}
