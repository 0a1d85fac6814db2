import { useSyncExternalStore } from 'react';
import { useFormat } from '../i18n/format';

// One clock for all: a hundred relative times cost one timer.
let now = Date.now();
const listeners = new Set<() => void>();
let timer = 0;
function subscribe(changed: () => void) {
  listeners.add(changed);
  timer ||= window.setInterval(() => {
    // While the server cannot be heard nobody knows what goes on: the clocks stop.
    if (document.documentElement.dataset.net === 'lost') return;
    now = Date.now();
    for (const l of listeners) l();
  }, 1000);
  return () => {
    listeners.delete(changed);
    if (!listeners.size) {
      clearInterval(timer);
      timer = 0;
    }
  };
}

/** The time now, moving on by the second. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);

interface Props {
  at: string | null | undefined;
  zone?: string;
  absolute?: boolean;
}

const hour = 3_600_000;

/** A point in time: how long ago within the hour, else the clock, as everywhere ("tomorrow
 * 07:30"); the whole of it on hover. */
export function Time({ at, zone, absolute }: Props) {
  const f = useFormat();
  const now = useNow();
  if (!at) return null;
  const instant = Date.parse(at);
  // The clock ticks by the second: what has just happened is not "in 1 second".
  const near = Math.abs(instant - now) < 1500 ? instant : now;
  const text = absolute || Math.abs(instant - now) >= hour ? f.time(at, zone, now) : f.relative(at, near, zone);
  return (
    <time dateTime={at} title={f.full(at, zone)}>
      {text}
    </time>
  );
}
