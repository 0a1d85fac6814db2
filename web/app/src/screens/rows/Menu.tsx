import { Ellipsis } from 'lucide-react';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { Icon } from '../../ui/Icon';
import css from './rows.module.css';

/** A menu of further actions for a row. Its buttons exist while it is closed, because shortcuts press them. */
export function Menu({ label, children }: { label: string; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const items = useRef<HTMLDivElement>(null);
  const close = () => {
    setOpen(false);
    // A pressed item is hidden with the menu: a dialog that it opens returns the focus to the menu button.
    if (items.current?.contains(document.activeElement)) button.current?.focus();
  };
  useEffect(() => {
    if (!open) return undefined;
    const away = (e: Event) => {
      if (!box.current?.contains(e.target as Node)) setOpen(false);
    };
    const escape = (e: KeyboardEvent) => {
      if (e.key !== 'Escape') return;
      e.stopPropagation();
      setOpen(false);
      button.current?.focus();
    };
    document.addEventListener('pointerdown', away);
    document.addEventListener('focusin', away);
    document.addEventListener('keydown', escape, true);
    return () => {
      document.removeEventListener('pointerdown', away);
      document.removeEventListener('focusin', away);
      document.removeEventListener('keydown', escape, true);
    };
  }, [open]);
  return (
    <div ref={box} className={css.menu}>
      <button
        ref={button}
        type="button"
        className="icon plain"
        aria-label={label}
        title={label}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        <Icon of={Ellipsis} />
      </button>
      {/* Its controls take the keys; this only closes it after them. */}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions */}
      <div ref={items} id={id} role="group" aria-label={label} hidden={!open} className={css.items} onClick={close}>
        {children}
      </div>
    </div>
  );
}
