import type { ReactNode } from 'react';

/** A box with its own horizontal scrolling, so that the page never scrolls sideways. It is focusable, so that the
 * arrow keys scroll it. */
export function Scroll({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="scroll" role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
