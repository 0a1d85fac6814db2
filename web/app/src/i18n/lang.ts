// The page's language: the person's choice, else the browser's.
export type Lang = 'en' | 'fr';

const store = 'fermata.lang';
const listeners = new Set<() => void>();
let lang: Lang = pick();

function pick(): Lang {
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem(store);
  } catch {
    /* no storage */
  }
  if (chosen === 'en' || chosen === 'fr') return chosen;
  if (typeof navigator === 'undefined') return 'en';
  const wanted = navigator.languages ?? [navigator.language];
  return wanted.map((l) => l.slice(0, 2).toLowerCase()).find((l): l is Lang => l === 'en' || l === 'fr') ?? 'en';
}

export const getLang = (): Lang => lang;

export function setLang(next: Lang): void {
  lang = next;
  try {
    localStorage.setItem(store, next);
  } catch {
    /* then it applies to this page only */
  }
  document.documentElement.lang = next;
  for (const listener of listeners) listener();
}

export function onLang(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
