import { Suspense, useEffect, useEffectEvent, useRef } from 'react';
import { useLocation } from 'wouter';
import { useMay } from '../../api/me';
import { keysOn } from '../../ui/keys';
import { pathOf } from '../screens';
import { screen } from '../screen';
import { screenOf } from './goKeys';
import { show, useOverlay } from './overlay';

// Loaded on first use.
const Palette = screen(() => import('./Palette'));
const Keys = screen(() => import('./Keys'));

const writes = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

const soon = 1200; // milliseconds between G and its letter

/** The keys that work everywhere, and what they open. */
export function GlobalKeys() {
  const overlay = useOverlay();
  const [, go] = useLocation();
  const admin = useMay('admin');
  const gone = useRef(-Infinity); // when G was typed
  const take = useEffectEvent((e: KeyboardEvent) => {
    const open = document.querySelector('dialog[open]') !== null;
    if ((e.ctrlKey || e.metaKey) && !e.shiftKey && !e.altKey && e.key.toLowerCase() === 'k') {
      e.preventDefault(); // the browser would focus its address bar
      if (!open) show('palette');
      return;
    }
    if (!keysOn() || e.ctrlKey || e.metaKey || e.altKey || e.isComposing || writes(e.target) || open) return;
    if (e.key === '?') {
      e.preventDefault();
      show('keys');
      return;
    }
    const after = e.timeStamp - gone.current < soon;
    gone.current = !after && e.key.toLowerCase() === 'g' ? e.timeStamp : -Infinity;
    const screen = after ? screenOf(e.key) : undefined;
    if (!screen || (screen === 'system' && !admin)) return;
    e.preventDefault(); // then the screen's own shortcuts ignore it
    go(pathOf(screen));
  });
  useEffect(() => {
    // Before the screens, whose single-key shortcuts may use the same letters.
    const listen = (e: KeyboardEvent) => take(e);
    window.addEventListener('keydown', listen, { capture: true });
    return () => window.removeEventListener('keydown', listen, { capture: true });
  }, []);
  const close = () => show(null);
  return (
    <Suspense fallback={null}>
      {overlay === 'palette' ? <Palette onClose={close} /> : overlay === 'keys' ? <Keys onClose={close} /> : null}
    </Suspense>
  );
}
