import { useMemo, useState } from 'react';
import { storageName } from '../../api/base';
import { $api, byPages } from '../../api/client';
import type { Approval } from '../../approvals/decide';

export interface Filter {
  kind: string;
  session: string;
}

const store = storageName('approvals.filter');
const everything: Filter = { kind: '', session: '' };

function kept(): Filter {
  try {
    return { ...everything, ...(JSON.parse(sessionStorage.getItem(store) ?? '{}') as Partial<Filter>) };
  } catch {
    return everything;
  }
}

/** The pending approvals, oldest first, and the selected one. */
export function useOpen() {
  // Not 200, the size used for single pages: the cache would confuse the two.
  const query = $api.useInfiniteQuery(
    'get',
    '/v1/approvals',
    { params: { query: { status: 'open', limit: 100 } } },
    byPages,
  );
  const [filter, set] = useState(kept);
  const setFilter = (next: Filter) => {
    set(next);
    try {
      sessionStorage.setItem(store, JSON.stringify(next));
    } catch {
      /* then it applies to this page only */
    }
  };
  const all = useMemo(
    () =>
      (query.data?.pages ?? [])
        .flatMap((p) => p.data)
        .toSorted((a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id)),
    [query.data],
  );
  const kinds = useMemo(() => [...new Set(all.map((a) => a.kind))], [all]);
  const sessions = useMemo(() => [...new Set(all.map((a) => a.session_id))], [all]);
  // A filter without matches would hide everything that is pending.
  const kind = kinds.some((k) => k === filter.kind) ? filter.kind : '';
  const session = sessions.includes(filter.session) ? filter.session : '';
  const shown = useMemo(
    () => all.filter((a) => (!kind || a.kind === kind) && (!session || a.session_id === session)),
    [all, kind, session],
  );
  return { query, all, shown, kinds, sessions, filter: { kind, session }, setFilter };
}

/** The names of the waiting sessions, by id. */
export function useNames(): (id: string) => string | undefined {
  const query = $api.useQuery('get', '/v1/sessions', { params: { query: { status: 'requires_action', limit: 200 } } });
  const names = useMemo(() => new Map(query.data?.data.map((s) => [s.id, s.name ?? ''])), [query.data]);
  return (id) => names.get(id);
}

/** The approval after (or before) the selected one; the first if that no longer exists. */
export function neighbour(list: Approval[], id: string | null, step: 1 | -1): Approval | null {
  const i = list.findIndex((a) => a.id === id);
  return (i < 0 ? list[0] : list[Math.min(list.length - 1, Math.max(0, i + step))]) ?? null;
}
