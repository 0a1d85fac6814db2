import type { Schemas } from './client';
import { $api, api } from './client';
import { forgetAll } from './who';

export type Me = Schemas['Me'];

const ranks = ['viewer', 'member', 'admin', 'root'] as const;

/** The identity that the server has for this page's reader. */
export const useMe = () => $api.useQuery('get', '/v1/me', undefined, { staleTime: 60_000 });

/** Whether a role covers what needs another one. */
export const covers = (role: Me['role'], needed: Me['role']): boolean => ranks.indexOf(role) >= ranks.indexOf(needed);

/** Whether the reader has a role; while that is unknown, what most readers have. */
export function useMay(needed: Me['role']): boolean {
  const me = useMe().data;
  return me === undefined || covers(me.role, needed);
}

/** Signs out and deletes the person's data from this browser. */
export async function signOut(): Promise<void> {
  await api.POST('/v1/sign-out');
  forgetAll();
  location.reload();
}
