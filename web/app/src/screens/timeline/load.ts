// A complete timeline, extended while the session runs.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { api, body } from '../../api/client';
import { asProblem, type Problem } from '../../api/problem';
import { events } from '../../events/client';
import { useEvents, useWatch } from '../../events/react';
import type { Line } from './model';

interface Page {
  after: string | undefined;
  lines: Line[];
}
export interface Loaded {
  lines: Line[];
  whole: boolean;
  error: unknown;
  again: () => void;
}

const limit = 200;
const pause = 2000; // milliseconds before a failed load is retried

/** Loads page by page. Later records may belong before known ones (a call is recorded when it ends, at its start), so
 * the last two pages are loaded again. */
export function useTimeline(id: string): Loaded {
  const [pages, setPages] = useState<Page[]>([]);
  const [whole, setWhole] = useState(false);
  const [error, setError] = useState<Problem | null>(null);
  const known = useRef<Page[]>([]);
  const reading = useRef(0); // the number of loads: only the newest one counts

  const load = useCallback(
    async (from: number) => {
      const mine = ++reading.current;
      let pages = known.current.slice(0, from);
      let after = known.current[from]?.after;
      for (;;) {
        let answer;
        try {
          answer = await body(
            api.GET('/v1/sessions/{session_id}/timeline', {
              params: { path: { session_id: id }, query: { limit, after } },
            }),
          );
        } catch (thrown) {
          if (mine === reading.current) setError(asProblem(thrown));
          return;
        }
        if (mine !== reading.current) return;
        pages = [...pages, { after, lines: answer.data }];
        // During a reload the known pages stay, so that nothing flickers.
        known.current = answer.next_cursor ? [...pages, ...known.current.slice(pages.length)] : pages;
        setPages(known.current);
        setError(null);
        if (!answer.next_cursor) {
          setWhole(true);
          return;
        }
        after = answer.next_cursor;
      }
    },
    [id],
  );

  useEffect(() => {
    const readings = reading;
    void load(0);
    return () => {
      readings.current++;
    };
  }, [load]);
  useEffect(() => {
    if (!error?.retryable) return undefined;
    const later = setTimeout(() => void load(Math.max(0, known.current.length - 2)), pause);
    return () => clearTimeout(later);
  }, [error, load]);
  useWatch(id);
  const timer = useRef(0);
  useEvents((event) => {
    const data = event.data as {
      session_id?: string;
      session?: { id: string };
      execution?: { session_id: string };
    } | null;
    if (
      ![data?.session_id, data?.session?.id, data?.execution?.session_id].includes(id) ||
      event.seq === 0 ||
      timer.current
    )
      return;
    timer.current = window.setTimeout(() => {
      timer.current = 0;
      void load(Math.max(0, known.current.length - 2));
    }, 250);
  });
  useEffect(
    () =>
      events.onOpen(() => {
        void load(Math.max(0, known.current.length - 2));
      }),
    [load],
  );
  useEffect(() => () => clearTimeout(timer.current), []);

  const lines = useMemo(() => pages.flatMap((page) => page.lines), [pages]);
  return { lines, whole, error, again: () => void load(0) };
}
