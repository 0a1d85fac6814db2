import { useSyncExternalStore } from 'react';

/** `system` follows the browser. */
export type Theme = 'system' | 'light' | 'dark';

const store = 'fermata.theme';
const listeners = new Set<() => void>();

function read(): Theme {
  const set = document.documentElement.dataset.theme;
  return set === 'light' || set === 'dark' ? set : 'system';
}

export function setTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(store);
    else localStorage.setItem(store, theme);
  } catch {
    /* holds for this page then */
  }
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const listener of listeners) listener();
}

export const useTheme = (): Theme =>
  useSyncExternalStore((changed) => {
    listeners.add(changed);
    return () => {
      listeners.delete(changed);
    };
  }, read);
