import { flushSync } from 'react-dom';

/** Makes a change, and gives the focus to what is there after it before the next key is taken. In
 * the time of a frame a key would go elsewhere: oxlint lets nobody wait for one. */
export function focusAfter(change: () => void, find: () => HTMLElement | null | undefined): void {
  flushSync(change);
  find()?.focus();
}
