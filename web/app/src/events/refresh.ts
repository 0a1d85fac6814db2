// Queries are named by their path, so a screen that reads with $api.useQuery is kept fresh
// without code of its own.
import type { QueryClient } from '@tanstack/react-query';
import { events } from './client';
import { Gatherer } from './gatherer';
import { isOld, ofSessions, oldAfter, type Old } from './stale';

const key = ({ path, of }: Old) => `${path} ${of?.id ?? ''}`;

/** Keeps the queries fresh. */
export function keepFresh(queries: QueryClient): void {
  const due = new Map<string, Old>();
  const early = new Set<string>(); // queries that asked before the stream began
  const gatherer = new Gatherer(() => {
    const olds = [...due.values()];
    const hashes = new Set(early);
    due.clear();
    early.clear();
    return queries.invalidateQueries({
      predicate: ({ queryKey, queryHash }) => hashes.has(queryHash) || isOld(queryKey, olds),
    });
  });
  const note = (olds: readonly Old[]) => {
    for (const old of olds) due.set(key(old), old);
    if (olds.length) gatherer.soon();
  };
  events.subscribe((event) => note(oldAfter(event)));
  // What was read before the stream began may be old too, also at the very first time.
  events.onOpen((continued, of) => {
    if (of) note(ofSessions(of));
    else if (!continued) {
      for (const query of queries.getQueryCache().getAll()) {
        if (query.state.dataUpdatedAt > 0 || query.state.fetchStatus !== 'idle') early.add(query.queryHash);
      }
      gatherer.soon();
    }
  });
  let refused = false;
  events.onConnection(() => {
    const connection = events.connection();
    const now = connection.state === 'lost' && connection.refused === true;
    if (now && !refused) note([{ path: '/v1/settings' }]); // the shell sees by it that it has to ask for a key
    refused = now;
  });
}
