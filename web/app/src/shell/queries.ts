import { QueryClient } from '@tanstack/react-query';
import { asProblem } from '../api/problem';
import { keepFresh } from '../events/refresh';

/** What was read from the server. Events say when it is old; nothing is asked by the clock. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      networkMode: 'always', // a server on this machine is there without a network
      retry: (count, thrown) => count < 3 && asProblem(thrown).retryable,
      retryDelay: (count, thrown) => Math.max(asProblem(thrown).retryAfter * 1000, 500 * 2 ** count),
    },
    mutations: { networkMode: 'always' },
  },
});

keepFresh(queries);
