import { $api, type Schemas } from '../../api/client';

/** The sessions that were set aside and come back by themselves. */
export function useSuspended(): Schemas['Session'][] {
  const query = $api.useQuery('get', '/v1/sessions', { params: { query: { status: 'suspended', limit: 10 } } });
  return query.data?.data ?? [];
}
