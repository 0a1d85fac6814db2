import { useEffect } from 'react';
import { useKeys } from '../../ui/keys';

const field = () => document.getElementById('message');

/** Where one types has the focus when a chat is opened, and "/" and "c" lead there. A finger
 * would get the keyboard over half of the screen, so it has to ask. */
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
