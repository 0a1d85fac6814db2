// Queries are keyed by path, so a screen that reads with $api.useQuery is refreshed without code of its own.
import type { QueryClient } from '@tanstack/react-query';
import { events } from './client';
import { Throttle } from './throttle';
import { isStale, ofSessions, staleAfter, type Stale } from './stale';

const key = ({ path, of }: Stale) => `${path} ${of?.id ?? ''}`;

/** Reads queries again when an event makes them stale. */
export function keepFresh(queries: QueryClient): void {
  const due = new Map<string, Stale>();
  const early = new Set<string>(); // queries that started before the stream did
  const throttle = new Throttle(() => {
    const olds = [...due.values()];
    const hashes = new Set(early);
    due.clear();
    early.clear();
    return queries.invalidateQueries({
      predicate: ({ queryKey, queryHash }) => hashes.has(queryHash) || isStale(queryKey, olds),
    });
  });
  const refresh = (olds: readonly Stale[]) => {
    for (const old of olds) due.set(key(old), old);
    if (olds.length) throttle.request();
  };
  events.subscribe((event) => refresh(staleAfter(event)));
  // What was read before the stream began may be stale too, even the first time.
  events.onOpen((continued, of) => {
    if (of) refresh(ofSessions(of));
    else if (!continued) {
      for (const query of queries.getQueryCache().getAll()) {
        if (query.state.dataUpdatedAt > 0 || query.state.fetchStatus !== 'idle') early.add(query.queryHash);
      }
      throttle.request();
    }
  });
  let refused = false;
  events.onConnection(() => {
    const connection = events.connection();
    const now = connection.state === 'lost' && connection.refused === true;
    if (now && !refused) refresh([{ path: '/v1/me' }]); // the shell then shows the sign-in form
    refused = now;
  });
}
