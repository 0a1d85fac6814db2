// The API key of a server that asks for one. It is kept in this tab alone.
const name = 'fermata.key';
const listeners = new Set<() => void>();

export const getKey = (): string | null => {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
};

export function setKey(key: string | null): void {
  if (key) sessionStorage.setItem(name, key);
  else sessionStorage.removeItem(name);
  for (const listener of listeners) listener();
}

export function onKey(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

// What a browser remembers of its own screen, whoever sits before it.
const device = new Set(['fermata.theme', 'fermata.lang', 'fermata.keys']);

/** Removes what a person wrote or looked at: drafts, messages on their way, filters. */
export function forget(storage: Pick<Storage, 'key' | 'length' | 'removeItem'>): void {
  const names = Array.from({ length: storage.length }, (_, i) => storage.key(i));
  for (const item of names) if (item?.startsWith('fermata.') && !device.has(item)) storage.removeItem(item);
}

/** Leaves nothing behind for whoever uses this browser next. */
export function signOut(): void {
  setKey(null);
  for (const kept of ['localStorage', 'sessionStorage'] as const) {
    try {
      forget(window[kept]);
    } catch {
      /* no storage, nothing in it */
    }
  }
}
