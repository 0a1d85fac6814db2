import type { Schemas } from './client';
import { $api, api } from './client';
import { forgetAll } from './who';

export type Me = Schemas['Me'];

const ranks = ['viewer', 'member', 'admin', 'root'] as const;

/** Who the server takes this page's reader for. */
export const useMe = () => $api.useQuery('get', '/v1/me', undefined, { staleTime: 60_000 });

/** Whether a role covers what needs another one. */
export const covers = (role: Me['role'], needed: Me['role']): boolean => ranks.indexOf(role) >= ranks.indexOf(needed);

/** Whether the reader may do what needs a role; until that is known, what most may. */
export function useMay(needed: Me['role']): boolean {
  const me = useMe().data;
  return me === undefined || covers(me.role, needed);
}

/** Signs out, and leaves nothing behind. */
export async function signOut(): Promise<void> {
  await api.POST('/v1/sign-out');
  forgetAll();
  location.reload();
}
