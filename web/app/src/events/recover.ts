// What could not be read comes by itself once the server is well: no screen waits for a press.
import type { Query, QueryClient } from '@tanstack/react-query';
import { asProblem } from '../api/problem';
import { Backoff } from './backoff';
import { events } from './client';

const soonest = 1000; // milliseconds before the first question
const longest = 30_000; // milliseconds that an answer may take: one that never comes must not hold up the others

/** Whether a read failed for a reason that passes, and somebody is looking at it. */
const failed = (query: Query) =>
  query.state.status === 'error' &&
  query.state.fetchStatus === 'idle' &&
  query.isActive() &&
  asProblem(query.state.error).retryable;

type Asks = (about: object) => Promise<unknown>;

// Asks past the cache, so that what is shown (an error, or old values beside it) stays until there is better.
async function ask(queries: QueryClient, query: Query): Promise<void> {
  const { queryFn, initialPageParam } = query.options as { queryFn?: Asks; initialPageParam?: unknown };
  if (typeof queryFn !== 'function') return;
  const { queryKey } = query;
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), longest);
  const answer: unknown = await queryFn({
    client: queries,
    queryKey,
    signal: patience.signal,
    meta: query.meta,
    pageParam: initialPageParam,
    direction: 'forward',
  }).finally(() => clearTimeout(timer));
  if (!failed(query)) return;
  if (initialPageParam === undefined) queries.setQueryData(queryKey, answer);
  else await queries.refetchQueries({ queryKey, exact: true }); // its pages are put together there
}

/** Asks again for reads that failed, at first soon, then more seldom, and at once when the stream is back. */
export function recover(queries: QueryClient): void {
  const backoff = new Backoff(Math.random);
  const all = () => queries.getQueryCache().findAll({ predicate: failed });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;
  let asking = false;

  const look = async () => {
    clearTimeout(timer);
    timer = undefined;
    if (asking) return;
    asking = true;
    asked = performance.now();
    await Promise.all(all().map((query) => ask(queries, query).catch(() => {})));
    asking = false;
    plan();
  };
  const plan = () => {
    if (timer !== undefined || asking) return;
    if (all().length) timer = setTimeout(() => void look(), Math.max(soonest, backoff.next()));
    else backoff.reset();
  };

  queries.getQueryCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'error') plan();
    if (event.type === 'observerAdded') plan();
    // One is answered again, by a press of “Try again” maybe: the others need not wait for their time.
    if (event.type === 'updated' && event.action.type === 'success' && timer && performance.now() - asked > soonest)
      void look();
  });
  events.onOpen(() => {
    backoff.reset();
    if (all().length) void look();
  });
}
