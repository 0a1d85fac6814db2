import { useSyncExternalStore } from 'react';

const narrow = globalThis.matchMedia?.('(max-width: 640px)');

/** Whether the page is as narrow as a phone: side columns are then below the content. */
export const useNarrow = (): boolean =>
  useSyncExternalStore(
    (changed) => {
      narrow?.addEventListener('change', changed);
      return () => narrow?.removeEventListener('change', changed);
    },
    () => narrow?.matches ?? false,
  );
