import { useQueryClient, type Query } from '@tanstack/react-query';
import { useEffect, useState, type RefObject } from 'react';

/** Milliseconds without progress after which a partial screen is shown. */
const patience = 1500;
// Reads that timed out: no other screen waits for them.
const late = new WeakSet<Query>();

// A first read that has neither succeeded nor failed.
const missing = (query: Query) =>
  query.state.status === 'pending' && query.state.fetchFailureCount === 0 && !late.has(query);

/** Whether all first reads of a screen, and the reads that follow from them, are done: then it is shown in one piece.
 * A read that hangs delays it only for a moment. */
export function useWhole(screen: RefObject<HTMLElement | null>): boolean {
  const queries = useQueryClient();
  const [whole, setWhole] = useState(false);
  useEffect(() => {
    if (whole) return undefined;
    const under = () =>
      queries.getQueryCache().findAll({ fetchStatus: 'fetching', type: 'active', predicate: missing });
    const look = () => {
      if (under().length === 0 && !screen.current?.querySelector('[data-loading]')) setWhole(true);
    };
    let end = 0;
    const wait = () => {
      clearTimeout(end);
      end = window.setTimeout(() => {
        for (const query of under()) late.add(query);
        performance.mark('fermata:late'); // for tools, and the browser tests
        setWhole(true);
      }, patience);
    };
    // Loaded data may start further loads: those have begun by the next task.
    let next = 0;
    const soon = () => {
      clearTimeout(next);
      next = window.setTimeout(look, 0);
    };
    const leave = queries.getQueryCache().subscribe(({ type, query }) => {
      if (type !== 'updated') return;
      if (query.state.fetchStatus === 'idle') wait();
      soon();
    });
    const changes = new MutationObserver(soon);
    changes.observe(screen.current!, { childList: true, subtree: true });
    wait();
    look();
    return () => {
      clearTimeout(end);
      clearTimeout(next);
      leave();
      changes.disconnect();
    };
  }, [whole, queries, screen]);
  return whole;
}
