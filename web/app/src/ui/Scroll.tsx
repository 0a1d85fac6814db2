import type { ReactNode } from 'react';

/** A box that scrolls sideways by itself, so that the page never does. It takes the focus:
 * who has no mouse scrolls it with the arrow keys. */
export function Scroll({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="scroll" role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
