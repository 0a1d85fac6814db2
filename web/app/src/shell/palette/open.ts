// What lies over the page: the palette, the list of keys, or nothing.
import { useSyncExternalStore } from 'react';

export type Over = 'palette' | 'keys' | null;
let now: Over = null;
const listeners = new Set<() => void>();

export function show(next: Over): void {
  now = next;
  for (const listener of listeners) listener();
}

export const useOver = (): Over =>
  useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => {
        listeners.delete(changed);
      };
    },
    () => now,
  );
