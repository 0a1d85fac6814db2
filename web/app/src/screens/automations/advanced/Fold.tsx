import { useState, type ReactNode } from 'react';
import css from '../automations.module.css';

/** A collapsible part of the form, with a summary of its values. */
export function Fold({
  title,
  state,
  open,
  children,
}: {
  title: string;
  state?: string;
  open?: boolean;
  children: ReactNode;
}) {
  const [first] = useState(open); // from then on only the person opens and closes it
  return (
    <details className={css.fold} open={first}>
      <summary>
        <h2 className={css.inlineTitle}>{title}</h2>
        {state && <span className="muted small"> {state}</span>}
      </summary>
      <div className="stack">{children}</div>
    </details>
  );
}
