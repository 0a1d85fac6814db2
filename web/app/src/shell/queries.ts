import { QueryClient } from '@tanstack/react-query';
import { asProblem } from '../api/problem';
import { recover } from '../events/recover';
import { keepFresh } from '../events/refresh';
import { onLang } from '../i18n/lang';

// How often a read is retried before its error is shown. The fetch layer has already retried requests without a
// response.
const tries = (thrown: unknown) => (asProblem(thrown).more.tried === true ? 1 : 3);

/** The cache of server data. Events make it stale; nothing is polled. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      networkMode: 'always', // a server on this machine needs no network
      retry: (count, thrown) => count < tries(thrown) && asProblem(thrown).retryable,
      retryDelay: (count, thrown) => Math.max(asProblem(thrown).retryAfter * 1000, 500 * 2 ** count),
    },
    mutations: { networkMode: 'always' },
  },
});

keepFresh(queries);
onLang(() => void queries.invalidateQueries()); // responses are in the previous language
recover(queries);
