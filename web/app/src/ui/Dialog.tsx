import { X } from 'lucide-react';
import { useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import { IconButton } from './Icon';
import { texts } from './texts';

interface Props {
  title: string;
  onClose: () => void;
  /** Its top keeps its position, whatever the height of its content. */
  steady?: boolean;
  children: ReactNode;
}

/** A modal dialog: the browser's own traps the focus and returns it. Esc closes. */
export function Dialog({ title, onClose, steady, children }: Props) {
  const t = texts.use();
  const id = useId();
  const ref = useRef<HTMLDialogElement>(null);
  // Closed before it is removed: a removed dialog does not return the focus.
  useLayoutEffect(() => {
    const dialog = ref.current!;
    if (!dialog.open) dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      data-steady={steady ? '' : undefined}
      onCancel={(e) => {
        e.preventDefault();
        onClose();
      }}
    >
      <div className="stack">
        <div className="row between">
          <h2 id={id}>{title}</h2>
          <IconButton of={X} label={t('close')} onClick={onClose} />
        </div>
        {children}
      </div>
    </dialog>
  );
}
