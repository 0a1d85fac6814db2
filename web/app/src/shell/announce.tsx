// Announcements for screen readers: whole sentences, one after the other.
import { useSyncExternalStore } from 'react';

let lines: { id: number; text: string }[] = [];
let next = 0;
const listeners = new Set<() => void>();

/** Announces a text after the current announcement. */
export function announce(text: string): void {
  const plain = text.trim();
  if (!plain) return;
  lines = [...lines.slice(-11), { id: next++, text: plain }];
  for (const listener of listeners) listener();
}

export function Announcements() {
  const now = useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => {
        listeners.delete(changed);
      };
    },
    () => lines,
  );
  return (
    <div id="announce" className="visually-hidden" role="log" aria-live="polite" aria-relevant="additions">
      {now.map((l) => (
        <p key={l.id}>{l.text}</p>
      ))}
    </div>
  );
}
