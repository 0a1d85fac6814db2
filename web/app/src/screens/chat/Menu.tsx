import { useId, useRef, useState, type ReactNode, type ToggleEvent } from 'react';
import css from './menu.module.css';

interface Props {
  /** The button's label and icon. */
  label: string;
  children: ReactNode;
  button: ReactNode;
  className?: string;
  onOpen?: () => void;
  act?: string;
}

/** A button that opens a menu of further actions. The menu is a popover, so nothing clips it; the browser closes it
 * on Escape and on a click elsewhere. */
export function Menu({ label, button, className = 'plain small', onOpen, act, children }: Props) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const toggled = (e: ToggleEvent<HTMLDivElement>) => {
    setOpen(e.newState === 'open');
    if (e.newState === 'open') onOpen?.();
  };
  const choose = (e: React.MouseEvent) => {
    if (!(e.target as Element).closest('button, a')) return;
    box.current?.hidePopover();
    opener.current?.focus();
  };
  return (
    <>
      <button
        ref={opener}
        type="button"
        className={className}
        popoverTarget={id}
        aria-expanded={open}
        aria-label={label}
        title={label}
        data-act={act}
      >
        {button}
      </button>
      {/* Its controls take the keys; this only closes it after them. */}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
      <div
        ref={box}
        id={id}
        popover="auto"
        className={css.menu}
        onBeforeToggle={(e) => {
          if (e.newState === 'open') place(box.current!, opener.current!);
        }}
        onToggle={toggled}
        onClick={choose}
      >
        {children}
      </div>
    </>
  );
}

/** Beside its button, on the side with more room. */
function place(box: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const below = window.innerHeight - at.bottom;
  const up = below < 260 && at.top > below;
  box.style.top = up ? 'auto' : `${at.bottom + 4}px`;
  box.style.bottom = up ? `${window.innerHeight - at.top + 4}px` : 'auto';
  const right = at.left + at.width / 2 > window.innerWidth / 2;
  box.style.left = right ? 'auto' : `${Math.max(8, at.left)}px`;
  box.style.right = right ? `${Math.max(8, window.innerWidth - at.right)}px` : 'auto';
  box.style.maxWidth = right ? `min(22rem, ${at.right - 8}px)` : '';
  box.style.maxHeight = `${Math.max(160, (up ? at.top : below) - 16)}px`;
}
