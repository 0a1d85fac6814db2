import { useLayoutEffect, useState, type RefObject } from 'react';

interface Teller {
  code: string;
  place: RefObject<HTMLElement | null>;
  set: (reports: boolean) => void;
}
const tellers = new Set<Teller>();

// The first visible one reports: a list that a narrow window hides does not.
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

/** Whether this place reports why a read failed. When the server is unreachable, many reads fail for the same reason,
 * which is shown once. Without a code it is always shown. */
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
