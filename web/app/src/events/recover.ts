// Reads that failed are retried automatically: no screen needs a press.
import type { Query, QueryClient } from '@tanstack/react-query';
import { asProblem } from '../api/problem';
import { Backoff } from './backoff';
import { events } from './client';

const soonest = 1000; // milliseconds before the first retry
const longest = 30_000; // milliseconds that a response may take, so that one that never arrives does not block the others

/** Whether a visible read failed for a temporary reason. */
const failed = (query: Query) =>
  query.state.status === 'error' &&
  query.state.fetchStatus === 'idle' &&
  query.isActive() &&
  asProblem(query.state.error).retryable;

type Asks = (about: object) => Promise<unknown>;

// Bypasses the cache, so that the screen keeps its error or old values until the retry succeeds.
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
  else await queries.refetchQueries({ queryKey, exact: true }); // its pages are combined there
}

/** Retries failed reads with increasing pauses, and at once when the stream is connected again. */
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
    // One succeeded, e.g. by "Try again": the others need not wait.
    if (event.type === 'updated' && event.action.type === 'success' && timer && performance.now() - asked > soonest)
      void look();
  });
  events.onOpen(() => {
    backoff.reset();
    if (all().length) void look();
  });
}
