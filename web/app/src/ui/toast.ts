// Short confirmations of an action, with undo. Errors are never toasts: they are shown where they happened.
import { useSyncExternalStore } from 'react';

export interface Toast {
  id: number;
  text: string;
  undo?: () => void;
}

const listeners = new Set<() => void>();
let shown: readonly Toast[] = [];
let next = 0;

function set(now: readonly Toast[]): void {
  shown = now;
  for (const listener of listeners) listener();
}

/** Confirms something for five seconds. */
export function toast(text: string, undo?: () => void): void {
  set([...shown.slice(-2), { id: next++, text, undo }]);
}

export const closeToast = (id: number): void => set(shown.filter((t) => t.id !== id));

export const useToasts = (): readonly Toast[] =>
  useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => {
        listeners.delete(changed);
      };
    },
    () => shown,
  );
