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
    /* kept until the page is closed */
  }
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  paintFrame(theme);
  for (const listener of listeners) listener();
}

const grounds = { light: '#f7f7f5', dark: '#121518' };

/** Browsers draw their frame, and that of an installed page, in the page's background colour. */
function paintFrame(theme: Theme): void {
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')) {
    const system = meta.media.includes('dark') ? 'dark' : 'light';
    meta.content = grounds[theme === 'system' ? system : theme];
  }
}

export const useTheme = (): Theme =>
  useSyncExternalStore((changed) => {
    listeners.add(changed);
    return () => {
      listeners.delete(changed);
    };
  }, read);
