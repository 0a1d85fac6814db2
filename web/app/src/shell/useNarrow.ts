import { useSyncExternalStore } from 'react';

const narrow = globalThis.matchMedia?.('(max-width: 640px)');

/** Whether the page is as narrow as a phone: what stands at the side stands below then. */
export const useNarrow = (): boolean =>
  useSyncExternalStore(
    (changed) => {
      narrow?.addEventListener('change', changed);
      return () => narrow?.removeEventListener('change', changed);
    },
    () => narrow?.matches ?? false,
  );
