import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Problem } from '../api/problem';
import { recover } from './recover';

const opened: (() => void)[] = [];
vi.mock('./client', () => ({ events: { onOpen: (f: () => void) => opened.push(f) } }));

const away = new Problem({ code: 'unreachable', retryable: true });
let queries: QueryClient;
let ill: unknown;
let asked: Record<string, number>;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(1); // each pause is the longest that it may be
  queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  recover(queries);
  ill = away;
  asked = {};
});
afterEach(() => {
  queries.clear();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const answer = (name: string) => async () => {
  asked[name] = (asked[name] ?? 0) + 1;
  if (ill) throw ill;
  return name;
};
const seen: string[] = [];
function look(name: string) {
  const observer = new QueryObserver(queries, { queryKey: [name], queryFn: answer(name) });
  const end = observer.subscribe((result) => seen.push(result.status));
  return { observer, end };
}

test('what could not be read is asked for again, ever more seldom, and comes by itself', async () => {
  const { observer } = look('zones');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked.zones).toBeGreaterThan(6);
  expect(asked.zones).toBeLessThan(20);
  ill = null;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(observer.getCurrentResult().data).toBe('zones');
  const after = asked.zones;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked.zones).toBe(after);
});

test('while it is asked for again, what is said of it stays', async () => {
  look('zones');
  await vi.advanceTimersByTimeAsync(100);
  seen.length = 0;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(seen).not.toContain('pending');
});

test('when the stream is back, all are asked at once', async () => {
  const both = [look('zones'), look('tools')];
  await vi.advanceTimersByTimeAsync(30_000);
  ill = null;
  opened.at(-1)!();
  await vi.advanceTimersByTimeAsync(0);
  expect(both.map(({ observer }) => observer.getCurrentResult().data)).toEqual(['zones', 'tools']);
});

test('when one is answered, by a press of a button, the others are asked too', async () => {
  const both = [look('zones'), look('tools')];
  await vi.advanceTimersByTimeAsync(32_000);
  const before = asked.tools!;
  await vi.advanceTimersByTimeAsync(2000);
  expect(asked.tools).toBe(before); // it is between two of its times
  ill = null;
  await both[0]!.observer.refetch();
  await vi.advanceTimersByTimeAsync(0);
  expect(both[1]!.observer.getCurrentResult().data).toBe('tools');
});

test('pages are read again from the first', async () => {
  const observer = new InfiniteQueryObserver(queries, {
    queryKey: ['runs'],
    queryFn: answer('runs'),
    initialPageParam: null,
    getNextPageParam: () => undefined,
  });
  observer.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(100);
  ill = null;
  await vi.advanceTimersByTimeAsync(5000);
  expect(observer.getCurrentResult().data?.pages).toEqual(['runs']);
});

test('permanent failures and unwatched reads are not retried', async () => {
  const { end } = look('zones');
  await vi.advanceTimersByTimeAsync(100);
  end();
  ill = new Problem({ code: 'forbidden' });
  look('keys');
  await vi.advanceTimersByTimeAsync(30_000);
  expect(asked).toEqual({ zones: 1, keys: 1 });
});

test('an answer that never comes is given up, and holds up no other', async () => {
  let first = true;
  const stuck = new QueryObserver(queries, {
    queryKey: ['stuck'],
    queryFn: ({ signal }) => {
      if (first) {
        first = false;
        throw away;
      }
      return new Promise((_, fail) => {
        signal.addEventListener('abort', () => fail(away));
      });
    },
  });
  stuck.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(5000);
  const { observer } = look('zones');
  await vi.advanceTimersByTimeAsync(100);
  ill = null;
  await vi.advanceTimersByTimeAsync(120_000);
  expect(observer.getCurrentResult().data).toBe('zones');
});
