import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';

const store = 'fermata.keys';
const listeners = new Set<() => void>();
let on = read();

function read(): boolean {
  try {
    return localStorage.getItem(store) !== 'off';
  } catch {
    return true;
  }
}

export const keysOn = () => on;

/** Whether single-key shortcuts are on: people who use dictation, or type by accident, can turn them off. */
export const useKeysOn = () =>
  useSyncExternalStore((changed) => {
    listeners.add(changed);
    return () => {
      listeners.delete(changed);
    };
  }, keysOn);

export function setKeysOn(next: boolean): void {
  on = next;
  try {
    if (next) localStorage.removeItem(store);
    else localStorage.setItem(store, 'off');
  } catch {
    /* kept until the page is closed */
  }
  for (const listener of listeners) listener();
}

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=button], [type=submit])'));

/** Runs the shortcut of a key, but never while the focus is in a field. */
export function useKeys(handle: (key: string) => boolean): void {
  const take = useEffectEvent((event: KeyboardEvent) => {
    if (
      !on ||
      event.defaultPrevented ||
      event.isComposing ||
      event.repeat ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey
    )
      return;
    if (typing(event.target) || document.querySelector('dialog[open]')) return;
    if (handle(event.key.toLowerCase())) event.preventDefault();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => take(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}
