// Whether the menu is folded to its icons: kept by the browser, and set before the first paint
// by first.js, so that nothing moves.
import { useSyncExternalStore } from 'react';

const store = 'fermata.menu';
const listeners = new Set<() => void>();

export function setFolded(folded: boolean): void {
  if (folded) document.documentElement.dataset.menu = 'folded';
  else delete document.documentElement.dataset.menu;
  try {
    if (folded) localStorage.setItem(store, 'folded');
    else localStorage.removeItem(store);
  } catch {
    /* holds for this page then */
  }
  for (const listener of listeners) listener();
}

export const useFolded = (): boolean =>
  useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => {
        listeners.delete(changed);
      };
    },
    () => document.documentElement.dataset.menu === 'folded',
  );
