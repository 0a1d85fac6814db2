import { useSyncExternalStore } from 'react';
import { useFormat } from '../i18n/format';

// One clock for all: a hundred relative times cost one timer.
let now = Date.now();
const listeners = new Set<() => void>();
let timer = 0;
function subscribe(changed: () => void) {
  listeners.add(changed);
  timer ||= window.setInterval(() => {
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

/** A point in time: relative, the whole of it on hover; or the other way round. */
export function Time({ at, zone, absolute }: Props) {
  const f = useFormat();
  const now = useNow();
  if (!at) return null;
  const full = f.full(at, zone);
  // The clock ticks by the second: what has just happened is not "in 1 second".
  const instant = Date.parse(at);
  const relative = f.relative(at, Math.abs(instant - now) < 1500 ? instant : now, zone);
  return (
    <time dateTime={at} title={absolute ? relative : full}>
      {absolute ? f.time(at, zone) : relative}
    </time>
  );
}
