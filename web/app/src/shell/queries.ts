import { QueryClient } from '@tanstack/react-query';
import { asProblem } from '../api/problem';
import { recover } from '../events/recover';
import { keepFresh } from '../events/refresh';
import { onLang } from '../i18n/lang';

// So often a read is asked for again before it is said that it cannot be had: what sends it has already
// tried more than once where no answer came.
const tries = (thrown: unknown) => (asProblem(thrown).more.tried === true ? 1 : 3);

/** What was read from the server. Events say when it is old; nothing is asked by the clock. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      networkMode: 'always', // a server on this machine is there without a network
      retry: (count, thrown) => count < tries(thrown) && asProblem(thrown).retryable,
      retryDelay: (count, thrown) => Math.max(asProblem(thrown).retryAfter * 1000, 500 * 2 ** count),
    },
    mutations: { networkMode: 'always' },
  },
});

keepFresh(queries);
onLang(() => void queries.invalidateQueries()); // responses are in the language that the page had
recover(queries);
