import { lazy, Suspense, useEffect } from 'react';
import { keysOn } from '../../ui/keys';
import { show, useOverlay } from './overlay';

// Loaded when they are first wanted.
const Palette = lazy(() => import('./Palette'));
const Keys = lazy(() => import('./Keys'));

const writes = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** The keys that work everywhere, and what they open. */
export function GlobalKeys() {
  const overlay = useOverlay();
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      const open = document.querySelector('dialog[open]') !== null;
      if ((e.ctrlKey || e.metaKey) && !e.shiftKey && !e.altKey && e.key.toLowerCase() === 'k') {
        e.preventDefault(); // the browser would go to its address bar
        if (!open) show('palette');
      } else if (e.key === '?' && keysOn() && !e.ctrlKey && !e.metaKey && !e.altKey && !writes(e.target) && !open) {
        e.preventDefault();
        show('keys');
      }
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  const close = () => show(null);
  return (
    <Suspense fallback={null}>
      {overlay === 'palette' ? <Palette onClose={close} /> : overlay === 'keys' ? <Keys onClose={close} /> : null}
    </Suspense>
  );
}
