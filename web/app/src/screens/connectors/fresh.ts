import { useQueryClient } from '@tanstack/react-query';

/** After a change the lists of connectors and the catalogue are reloaded. */
export function useConnectorsFresh(): () => Promise<void> {
  const queries = useQueryClient();
  return () =>
    queries.invalidateQueries({
      predicate: ({ queryKey }) => String(queryKey[1]).startsWith('/v1/connectors') || queryKey[1] === '/v1/commands',
    });
}
