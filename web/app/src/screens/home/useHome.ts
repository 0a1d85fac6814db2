import { $api } from '../../api/client';

const get = $api.useQuery;

/** The data of Home, loaded together. The page is drawn once the items that need attention, and whether the workspace
 * was ever used, are known; if the rest is late, it is left out. */
export function useHome() {
  const limit = 200;
  const approvals = get('get', '/v1/approvals', { params: { query: { status: 'open', limit } } });
  const slot = get('get', '/v1/slot');
  const queue = get('get', '/v1/queue');
  const suspended = get('get', '/v1/sessions', { params: { query: { status: 'suspended', limit: 10 } } });
  const automations = get('get', '/v1/automations', { params: { query: { limit } } });
  const chats = get('get', '/v1/sessions', { params: { query: { type: 'CHAT', limit: 6 } } });
  const usage = get('get', '/v1/usage', { params: { query: { group_by: 'day', limit: 2 } } });
  const settings = get('get', '/v1/settings');
  const providers = get('get', '/v1/providers', { params: { query: { limit } } });
  const core = [approvals, slot, automations, chats];
  const all = [...core, queue, suspended, usage, settings, providers];
  const failed = all.find((query) => query.data === undefined && query.error);
  return {
    ready: core.every((query) => query.data !== undefined),
    failed: failed?.error,
    again: () => void Promise.all(all.filter((query) => query.error).map((query) => query.refetch())),
    approvals: approvals.data?.data ?? [],
    slot: slot.data,
    queue: queue.data,
    suspended: suspended.data?.data ?? [],
    automations: automations.data?.data ?? [],
    chats: chats.data?.data ?? [],
    usage: usage.data?.data ?? [],
    settings: settings.data,
    providers: providers.data?.data ?? [],
  };
}

export type HomeData = ReturnType<typeof useHome>;
