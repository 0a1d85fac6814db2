// Whether the menu is folded to its icons: the stored choice, else folded on a tablet. first.js applies it before
// the first paint, so that nothing moves.
import { useSyncExternalStore } from 'react';

const store = 'fermata.menu';
const listeners = new Set<() => void>();
const tablet = globalThis.matchMedia?.('(max-width: 1000px)');

function put(folded: boolean): void {
  if (folded) document.documentElement.dataset.menu = 'folded';
  else delete document.documentElement.dataset.menu;
  for (const listener of listeners) listener();
}

function chosen(): boolean {
  try {
    return localStorage.getItem(store) !== null;
  } catch {
    return false;
  }
}

tablet?.addEventListener('change', ({ matches }) => chosen() || put(matches));

export function setFolded(folded: boolean): void {
  put(folded);
  try {
    if (folded === (tablet?.matches ?? false)) localStorage.removeItem(store);
    else localStorage.setItem(store, folded ? 'folded' : 'open');
  } catch {
    /* kept until the page is closed */
  }
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
