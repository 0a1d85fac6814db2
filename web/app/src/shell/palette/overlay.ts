// The overlay that is open: the palette, the list of keys, or none.
import { useSyncExternalStore } from 'react';

export type Overlay = 'palette' | 'keys' | null;
let now: Overlay = null;
const listeners = new Set<() => void>();

export function show(next: Overlay): void {
  now = next;
  for (const listener of listeners) listener();
}

export const useOverlay = (): Overlay =>
  useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => {
        listeners.delete(changed);
      };
    },
    () => now,
  );
