import { flushSync } from 'react-dom';

/** Makes a change and moves the focus at once, before the next key press. Waiting for a frame would lose keys. */
export function focusAfter(change: () => void, find: () => HTMLElement | null | undefined): void {
  flushSync(change);
  find()?.focus();
}
