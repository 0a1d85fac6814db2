import { useSyncExternalStore } from 'react';
import { useFormat } from '../i18n/format';

// One shared clock: a hundred relative times cost one timer.
let now = Date.now();
const listeners = new Set<() => void>();
let timer = 0;
function subscribe(changed: () => void) {
  listeners.add(changed);
  timer ||= window.setInterval(() => {
    // Without a connection the state is unknown: the clocks stop.
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

/** The current time, updated every second. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);

interface Props {
  at: string | null | undefined;
  zone?: string;
  absolute?: boolean;
}

const hour = 3_600_000;

/** A point in time: relative within the hour, else as elsewhere ("tomorrow 07:30"); the full time on hover. */
export function Time({ at, zone, absolute }: Props) {
  const f = useFormat();
  const now = useNow();
  if (!at) return null;
  const instant = Date.parse(at);
  // The clock has a resolution of a second: a time just past is not "in 1 second".
  const near = Math.abs(instant - now) < 1500 ? instant : now;
  const text = absolute || Math.abs(instant - now) >= hour ? f.time(at, zone, now) : f.relative(at, near, zone);
  return (
    <time dateTime={at} title={f.full(at, zone)}>
      {text}
    </time>
  );
}
