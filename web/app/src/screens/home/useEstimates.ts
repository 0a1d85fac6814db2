import { $api, type Schemas } from '../../api/client';
import { useNow } from '../../ui/Time';
import { usual, waits } from './estimate';

/** The estimated wait of each row of the queue, in milliseconds; null if unknown. */
export function useEstimates(slot: Schemas['Slot'] | undefined, rows: Schemas['QueueRow'][]): (number | null)[] {
  const now = useNow();
  const runs = $api.useQuery('get', '/v1/runs', { params: { query: { limit: 100 } } }, { enabled: rows.length > 0 });
  if (!runs.data) return [];
  const { holder, since } = slot ?? { holder: null, since: null };
  return waits(
    holder && { ...holder, since: since ? Date.parse(since) : null },
    rows.map((row) => row.session ?? null),
    usual(runs.data.data),
    now,
  );
}

/** Estimates are rounded: to 5 seconds, above a minute to the minute. */
export const round = (length: number) =>
  length > 60_000 ? Math.round(length / 60_000) * 60_000 : Math.max(5000, Math.ceil(length / 5000) * 5000);
