import { useEffect } from 'react';
import { useKeys } from '../../ui/keys';

const field = () => document.getElementById('message');

/** The message field gets the focus when a chat is opened, and by "/" and "c". Not on touch screens, where the
 * keyboard would cover half of the screen. */
export function useField(): void {
  useEffect(() => {
    if (window.matchMedia('(pointer: fine)').matches && !document.querySelector('dialog[open]')) field()?.focus();
  }, []);
  useKeys((key) => {
    if (key !== '/' && key !== 'c') return false;
    field()?.focus();
    return true;
  });
}
