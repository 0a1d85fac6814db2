import { createContext, useContext, useEffect } from 'react';

const Moved = createContext(false);

/** Whether this view was reached from another part of this screen. */
export const Arrived = Moved.Provider;

/** If so, focuses the title, since the focused element was removed. */
export function useArrival(): void {
  const moved = useContext(Moved);
  useEffect(() => {
    if (!moved || (document.activeElement && document.activeElement !== document.body)) return;
    document.getElementById('page-title')?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [moved]);
}
