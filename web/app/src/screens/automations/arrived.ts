import { createContext, useContext, useEffect } from 'react';

const Moved = createContext(false);

/** Whether what is shown was come to from another part of this screen. */
export const Arrived = Moved.Provider;

/** Puts the focus on the title then: what had it is gone. */
export function useArrival(): void {
  const moved = useContext(Moved);
  useEffect(() => {
    if (!moved || (document.activeElement && document.activeElement !== document.body)) return;
    document.getElementById('page-title')?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [moved]);
}
