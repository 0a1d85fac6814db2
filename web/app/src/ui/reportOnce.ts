import { useLayoutEffect, useState, type RefObject } from 'react';

interface Teller {
  code: string;
  place: RefObject<HTMLElement | null>;
  set: (reports: boolean) => void;
}
const tellers = new Set<Teller>();

// The first one that can be seen tells: a list that a narrow window hides tells nobody.
function choose(): void {
  const reported = new Set<string>();
  const order = [...tellers].toSorted((a, b) =>
    a.place.current && b.place.current
      ? a.place.current.compareDocumentPosition(b.place.current) & Node.DOCUMENT_POSITION_FOLLOWING
        ? -1
        : 1
      : 0,
  );
  for (const one of order) {
    const seen = one.place.current?.checkVisibility() ?? true;
    one.set(!reported.has(one.code) || !seen);
    if (seen) reported.add(one.code);
  }
}

/** Whether this is the one that tells why something could not be read. Where a server is away, much of a
 * screen cannot be read for the same reason, and is told once. Without a code it always tells. */
export function useReportOnce(place: RefObject<HTMLElement | null>, code: string | null): boolean {
  const [reports, set] = useState(true);
  useLayoutEffect(() => {
    if (code === null) return undefined;
    const one = { code, place, set };
    tellers.add(one);
    choose();
    return () => {
      tellers.delete(one);
      choose();
    };
  }, [code, place]);
  return reports || code === null;
}
