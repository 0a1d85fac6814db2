// Undoes the change of a command, as far as its execution records it: created objects are deleted, deleted ones
// restored, and changed ones get their earlier values.
import { storageName } from '../api/base';
import { api, body, versioned, type Schemas } from '../api/client';
import { difference, same } from '../api/mergePatch';

type Execution = Schemas['Execution'];
type Fields = Record<string, unknown>;
type Noun = 'zone' | 'tool' | 'entry' | 'automation' | 'document' | 'type';

/** It has changed since: undoing would lose that. */
export class ChangedSince extends Error {}

/** No version was published before, and a published document cannot become a draft again. */
export class NothingBefore extends Error {}

const most = 50; // entries that are undone one by one

const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const ids = (value: unknown): string[] =>
  Array.isArray(value) && value.every((x) => typeof x === 'string') ? value : [];

const changes: Record<string, Noun> = {
  UPDATE_ZONE: 'zone',
  UPDATE_TOOL: 'tool',
  UPDATE_DATA: 'entry',
  CONTEXT_UPDATE: 'document',
  CONTEXT_EDIT: 'document',
};

/** The function that undoes it; null if that is not possible. */
export function undoOf(e: Execution): (() => Promise<void>) | null {
  if (e.status !== 'SUCCESS' || e.kind !== 'action') return null;
  const result = fields(e.result);
  const params = fields(e.params);
  const made = typeof result.id === 'string' ? result.id : '';
  const known = 'before' in result || e.approval_id;
  switch (e.command) {
    case 'CREATE_ZONE':
      return made ? () => removeAll('zone', [made]) : null;
    case 'CREATE_TOOL':
      return made ? () => removeAll('tool', [made]) : null;
    case 'CREATE_AUTOMATION':
      return made ? () => removeAll('automation', [made]) : null;
    case 'CREATE_TOOL_TYPE':
      return made ? () => removeAll('type', [made]) : null;
    case 'CREATE_DATA':
      return few(ids(result.ids)) ? () => removeAll('entry', ids(result.ids)) : null;
    case 'DELETE_ZONE':
      return typeof params.zone_id === 'string' ? () => restoreAll('zone', [params.zone_id as string]) : null;
    case 'DELETE_TOOL':
      return typeof params.tool_id === 'string' ? () => restoreAll('tool', [params.tool_id as string]) : null;
    case 'DELETE_DATA':
      return few(ids(params.entry_ids)) ? () => restoreAll('entry', ids(params.entry_ids)) : null;
    case 'CONTEXT_PUBLISH':
      return known && made && fields(result.before).published_body !== '' ? () => publishBefore(made, e) : null;
    default:
  }
  const noun = changes[e.command];
  return noun && made && known ? () => putBack(noun, made, e) : null;
}

const few = (list: string[]) => list.length > 0 && list.length <= most;

async function removeAll(noun: Noun, list: string[]): Promise<void> {
  for (const id of list) await gone(remove(noun, id));
}

async function remove(noun: Noun, id: string): Promise<unknown> {
  if (noun === 'zone') return api.DELETE('/v1/zones/{zone_id}', { params: { path: { zone_id: id } } });
  if (noun === 'tool') return api.DELETE('/v1/tools/{tool_id}', { params: { path: { tool_id: id } } });
  if (noun === 'automation')
    return api.DELETE('/v1/automations/{automation_id}', { params: { path: { automation_id: id } } });
  if (noun === 'document') return api.DELETE('/v1/documents/{document_id}', { params: { path: { document_id: id } } });
  if (noun === 'type') return api.DELETE('/v1/tool-types/{tool_type_id}', { params: { path: { tool_type_id: id } } });
  return api.DELETE('/v1/entries/{entry_id}', { params: { path: { entry_id: id } } });
}

/** Ignores that it is already deleted. */
async function gone(removing: Promise<unknown>): Promise<void> {
  try {
    await removing;
  } catch (thrown) {
    if ((thrown as { status?: number }).status !== 404) throw thrown;
  }
}

async function restoreAll(noun: Noun, list: string[]): Promise<void> {
  for (const id of list) {
    if (noun === 'zone') await api.POST('/v1/zones/{zone_id}/restore', { params: { path: { zone_id: id } } });
    else if (noun === 'tool') await api.POST('/v1/tools/{tool_id}/restore', { params: { path: { tool_id: id } } });
    else await api.POST('/v1/entries/{entry_id}/restore', { params: { path: { entry_id: id } } });
  }
}

/** The earlier values, if the current ones are those that the command left. */
async function putBack(noun: Noun, id: string, e: Execution): Promise<void> {
  const { before, after } = await valuesOf(e);
  const now = await read(noun, id);
  if (before === null) {
    if (noun !== 'document') throw new ChangedSince(); // the earlier values are not recorded
    if (Object.keys(after).some((name) => !isUnchanged(now[name], after[name]))) throw new ChangedSince();
    return removeAll(noun, [id]); // it was created
  }
  const patch: Fields = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!isUnchanged(now[name], after[name])) throw new ChangedSince();
    const was = difference({ [name]: now[name] }, { [name]: before[name] });
    Object.assign(patch, was);
  }
  if (Object.keys(patch).length) await write(noun, id, patch);
}

// Times may be written in another zone than they were.
const isUnchanged = (now: unknown, then: unknown): boolean =>
  same(now ?? null, then ?? null) ||
  (typeof now === 'string' && typeof then === 'string' && Date.parse(now) === Date.parse(then));

/** Publishes the earlier version again; the draft stays. */
async function publishBefore(id: string, e: Execution): Promise<void> {
  const { before, after } = await valuesOf(e);
  const was = before?.published_body;
  if (typeof was !== 'string' || was === '') throw new NothingBefore();
  const path = { document_id: id };
  const { value: now, etag } = await versioned(api.GET('/v1/documents/{document_id}', { params: { path } }));
  if (!isUnchanged(now.published_body, after.published_body)) throw new ChangedSince();
  const params = (version: string) => ({ params: { path, header: { 'If-Match': version } } });
  const draft = now.body !== was; // there is a draft to keep
  const old = draft
    ? (await versioned(api.PATCH('/v1/documents/{document_id}', { ...params(etag), body: { body: was } }))).etag
    : etag;
  const again = await versioned(api.POST('/v1/documents/{document_id}/publish', params(old)));
  if (draft) await api.PATCH('/v1/documents/{document_id}', { ...params(again.etag), body: { body: now.body } });
}

/** The subject of a change, before and after; before is null if it was created. */
async function valuesOf(e: Execution): Promise<{ before: Fields | null; after: Fields }> {
  const result = fields(e.result);
  const both = (x: { before?: unknown; after?: unknown }) => ({
    before: x.before === null || x.before === undefined ? null : fields(x.before),
    after: fields(x.after),
  });
  if ('before' in result) return both(result);
  const asked = await body(
    api.GET('/v1/approvals/{approval_id}', { params: { path: { approval_id: e.approval_id! } } }),
  );
  const action = asked.actions.find((a) => a.id === e.id);
  if (!action || !same(action.params, e.params)) throw new ChangedSince(); // a person edited it
  return both(action);
}

async function read(noun: Noun, id: string): Promise<Fields> {
  if (noun === 'zone') return fields(await body(api.GET('/v1/zones/{zone_id}', { params: { path: { zone_id: id } } })));
  if (noun === 'tool') return fields(await body(api.GET('/v1/tools/{tool_id}', { params: { path: { tool_id: id } } })));
  if (noun === 'document')
    return fields(await body(api.GET('/v1/documents/{document_id}', { params: { path: { document_id: id } } })));
  return fields(await body(api.GET('/v1/entries/{entry_id}', { params: { path: { entry_id: id } } })));
}

async function write(noun: Noun, id: string, patch: Fields): Promise<void> {
  if (noun === 'zone') await api.PATCH('/v1/zones/{zone_id}', { params: { path: { zone_id: id } }, body: patch });
  else if (noun === 'tool') await api.PATCH('/v1/tools/{tool_id}', { params: { path: { tool_id: id } }, body: patch });
  else if (noun === 'document')
    await api.PATCH('/v1/documents/{document_id}', { params: { path: { document_id: id } }, body: patch });
  else await api.PATCH('/v1/entries/{entry_id}', { params: { path: { entry_id: id } }, body: patch });
}

// The changes that were undone in this browser: the server does not record that.
const store = storageName('undone');

function kept(): string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(store) ?? '[]');
    return ids(found);
  } catch {
    return [];
  }
}

export const wasUndone = (execution: string): boolean => kept().includes(execution);

export function keepUndone(execution: string): void {
  try {
    localStorage.setItem(store, JSON.stringify([execution, ...kept()].slice(0, 300)));
  } catch {
    /* kept until the page is closed */
  }
}
