import { Undo2, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useEvents } from '../events/react';
import { Icon, IconButton } from '../ui/Icon';
import { texts as uiTexts } from '../ui/texts';
import { closeToast, toast, useToasts, type Toast } from '../ui/toast';
import { texts } from './texts';

const length = 5000; // milliseconds

/** Confirmations of recent actions, in a corner without controls. */
export function Toasts() {
  const t = texts.use();
  const shown = useToasts();
  useEvents((event) => {
    if (event.name === 'notice' && event.data.level === 'info') toast(event.data.text);
  });
  return (
    <div className="toasts" role="region" aria-label={t('notice.region')} aria-live="polite">
      {shown.map((one) => (
        <One key={one.id} toast={one} />
      ))}
    </div>
  );
}

/** It closes by itself, except while it is hovered or focused. */
function One({ toast: { id, text, undo } }: { toast: Toast }) {
  const words = uiTexts.use();
  const t = texts.use();
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return undefined;
    const timer = setTimeout(() => closeToast(id), length);
    return () => clearTimeout(timer);
  }, [id, held]);
  return (
    <div
      className="toast"
      data-toast
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span className="grow clamp">{text}</span>
      {undo && (
        <button
          type="button"
          className="small"
          onClick={() => {
            closeToast(id);
            undo();
          }}
        >
          <Icon of={Undo2} />
          {words('undo')}
        </button>
      )}
      <IconButton of={X} label={t('notice.close')} className="plain small" onClick={() => closeToast(id)} />
    </div>
  );
}
