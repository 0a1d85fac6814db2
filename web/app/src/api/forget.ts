import { storagePrefix } from './base';

// What a browser remembers of its own screen, whoever sits before it.
const device = new Set(['fermata.theme', 'fermata.lang', 'fermata.keys', 'fermata.menu']);

/** Removes what a person wrote or looked at: drafts, messages on their way, filters. */
export function forget(storage: Pick<Storage, 'key' | 'length' | 'removeItem'>): void {
  const names = Array.from({ length: storage.length }, (_, i) => storage.key(i));
  for (const item of names) if (item?.startsWith(storagePrefix) && !device.has(item)) storage.removeItem(item);
}
