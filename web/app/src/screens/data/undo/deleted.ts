// The deletions of this browser, so that they can be undone. The server keeps the objects for 30 days, but does not
// list them.
import { useSyncExternalStore } from 'react';
import { storageName } from '../../../api/base';
import { api } from '../../../api/client';

export type DeletedKind = 'zone' | 'tool' | 'entry' | 'document';
export interface Deleted {
  kind: DeletedKind;
  ids: string[];
  name: string;
  at: number;
}

const store = storageName('deleted');
const days30 = 30 * 86_400_000;
const listeners = new Set<() => void>();
let list: Deleted[] = read();
let last: Deleted | null = null; // the deletion shown in the bar

function read(): Deleted[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(store) ?? '[]');
    return Array.isArray(found)
      ? (found as Deleted[]).filter((d) => Array.isArray(d?.ids) && Date.now() - d.at < days30)
      : [];
  } catch {
    return [];
  }
}

function update(nextList: Deleted[], nextLast: Deleted | null) {
  list = nextList.slice(0, 50);
  last = nextLast;
  try {
    localStorage.setItem(store, JSON.stringify(list));
  } catch {
    /* then it applies to this page only */
  }
  for (const listener of listeners) listener();
}

window.addEventListener('storage', (e) => {
  if (e.key !== store) return;
  list = read();
  for (const listener of listeners) listener();
});

/** Records a deletion. */
export function wasDeleted(kind: DeletedKind, ids: string[], name: string): void {
  const made = { kind, ids, name: name.slice(0, 200), at: Date.now() };
  update([made, ...list], made);
}

export const forget = (one: Deleted): void =>
  update(
    list.filter((d) => d !== one),
    last === one ? null : last,
  );
export const closeBar = (): void => update(list, null);

async function restoreOne(kind: DeletedKind, id: string): Promise<void> {
  switch (kind) {
    case 'zone':
      await api.POST('/v1/zones/{zone_id}/restore', { params: { path: { zone_id: id } } });
      break;
    case 'tool':
      await api.POST('/v1/tools/{tool_id}/restore', { params: { path: { tool_id: id } } });
      break;
    case 'entry':
      await api.POST('/v1/entries/{entry_id}/restore', { params: { path: { entry_id: id } } });
      break;
    case 'document':
      await api.POST('/v1/documents/{document_id}/restore', { params: { path: { document_id: id } } });
      break;
  }
}

/** Restores the objects; those already restored are skipped. */
export async function restore(one: Deleted): Promise<void> {
  for (const id of one.ids) await restoreOne(one.kind, id);
  forget(one);
}

const subscribe = (changed: () => void) => {
  listeners.add(changed);
  return () => {
    listeners.delete(changed);
  };
};
export const useDeleted = (): Deleted[] => useSyncExternalStore(subscribe, () => list);
export const useLastDeleted = (): Deleted | null => useSyncExternalStore(subscribe, () => last);
