// The API key of a server that asks for one. It is kept in this tab alone.
const name = 'fermata.key';
const listeners = new Set<() => void>();

export const getKey = (): string | null => {
  try { return sessionStorage.getItem(name); } catch { return null; }
};

export function setKey(key: string | null): void {
  if (key) sessionStorage.setItem(name, key);
  else sessionStorage.removeItem(name);
  for (const listener of listeners) listener();
}

export function onKey(listener: () => void): () => void {
  listeners.add(listener);
  return () => { listeners.delete(listener); };
}
