import { storagePrefix } from './base';

// Display preferences, which belong to the browser and not to a person.
const device = new Set(['fermata.theme', 'fermata.lang', 'fermata.keys', 'fermata.menu']);

/** Removes a person's own data: drafts, unsent messages, filters. */
export function forget(storage: Pick<Storage, 'key' | 'length' | 'removeItem'>): void {
  const names = Array.from({ length: storage.length }, (_, i) => storage.key(i));
  for (const item of names) if (item?.startsWith(storagePrefix) && !device.has(item)) storage.removeItem(item);
}
