import { $api } from '../api/client';

/** The number of pending items for the person. */
export function useWaiting(): number {
  const query = $api.useQuery('get', '/v1/approvals', { params: { query: { status: 'open', limit: 200 } } });
  return query.data?.data.length ?? 0;
}
