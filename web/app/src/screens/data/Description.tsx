import { useState } from 'react';
import css from './data.module.css';
import { texts } from './texts';

const short = 400;

/** A description; a very long one is truncated until expanded. */
export function Description({ text }: { text: string }) {
  const t = texts.use();
  const [open, setOpen] = useState(false);
  if (!text) return null;
  const points = Array.from(text);
  return (
    <p className={`preserve muted ${css.description}`}>
      {open || points.length <= short ? text : `${points.slice(0, short - 40).join('')}… `}
      {points.length > short && !open && (
        <button type="button" className="link" onClick={() => setOpen(true)}>
          {t('more')}
        </button>
      )}
    </p>
  );
}
