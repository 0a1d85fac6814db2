// Takes back what a command changed, as far as its execution tells what it was: what it made is
// deleted, what it deleted is restored, what it changed gets its earlier values.
import { api, body, type Schemas } from '../api/client';
import { difference, same } from '../api/mergePatch';

type Execution = Schemas['Execution'];
type Fields = Record<string, unknown>;
type Noun = 'zone' | 'tool' | 'entry' | 'automation';

/** It was changed again since: taking it back would lose that. */
export class ChangedSince extends Error {}

const most = 50; // entries that are taken back one by one

const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const ids = (value: unknown): string[] =>
  Array.isArray(value) && value.every((x) => typeof x === 'string') ? value : [];

const changes: Record<string, Noun> = { UPDATE_ZONE: 'zone', UPDATE_TOOL: 'tool', UPDATE_DATA: 'entry' };

/** What takes it back; null where nothing can. */
export function undoOf(e: Execution): (() => Promise<void>) | null {
  if (e.status !== 'SUCCESS' || e.kind !== 'action') return null;
  const result = fields(e.result);
  const params = fields(e.params);
  const made = typeof result.id === 'string' ? result.id : '';
  switch (e.command) {
    case 'CREATE_ZONE':
      return made ? () => removeAll('zone', [made]) : null;
    case 'CREATE_TOOL':
      return made ? () => removeAll('tool', [made]) : null;
    case 'CREATE_AUTOMATION':
      return made ? () => removeAll('automation', [made]) : null;
    case 'CREATE_DATA':
      return few(ids(result.ids)) ? () => removeAll('entry', ids(result.ids)) : null;
    case 'DELETE_ZONE':
      return typeof params.zone_id === 'string' ? () => restoreAll('zone', [params.zone_id as string]) : null;
    case 'DELETE_TOOL':
      return typeof params.tool_id === 'string' ? () => restoreAll('tool', [params.tool_id as string]) : null;
    case 'DELETE_DATA':
      return few(ids(params.entry_ids)) ? () => restoreAll('entry', ids(params.entry_ids)) : null;
    default:
  }
  const noun = changes[e.command];
  const known = 'before' in result || e.approval_id;
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
  return api.DELETE('/v1/entries/{entry_id}', { params: { path: { entry_id: id } } });
}

/** What is gone already is what was wanted. */
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

/** The earlier values, but only where the present ones are those that the command left. */
async function putBack(noun: Noun, id: string, e: Execution): Promise<void> {
  const { before, after } = await valuesOf(e);
  const now = await read(noun, id);
  const patch: Fields = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!stands(now[name], after[name])) throw new ChangedSince();
    const was = difference({ [name]: now[name] }, { [name]: before[name] });
    Object.assign(patch, was);
  }
  if (Object.keys(patch).length) await write(noun, id, patch);
}

// Times may be written in another zone than they were.
const stands = (now: unknown, then: unknown): boolean =>
  same(now ?? null, then ?? null) ||
  (typeof now === 'string' && typeof then === 'string' && Date.parse(now) === Date.parse(then));

async function valuesOf(e: Execution): Promise<{ before: Fields; after: Fields }> {
  const result = fields(e.result);
  if ('before' in result) return { before: fields(result.before), after: fields(result.after) };
  const asked = await body(
    api.GET('/v1/approvals/{approval_id}', { params: { path: { approval_id: e.approval_id! } } }),
  );
  const action = asked.actions.find((a) => a.id === e.id);
  if (!action || !same(action.params, e.params)) throw new ChangedSince(); // a person edited it
  return { before: fields(action.before), after: fields(action.after) };
}

async function read(noun: Noun, id: string): Promise<Fields> {
  if (noun === 'zone') return fields(await body(api.GET('/v1/zones/{zone_id}', { params: { path: { zone_id: id } } })));
  if (noun === 'tool') return fields(await body(api.GET('/v1/tools/{tool_id}', { params: { path: { tool_id: id } } })));
  return fields(await body(api.GET('/v1/entries/{entry_id}', { params: { path: { entry_id: id } } })));
}

async function write(noun: Noun, id: string, patch: Fields): Promise<void> {
  if (noun === 'zone') await api.PATCH('/v1/zones/{zone_id}', { params: { path: { zone_id: id } }, body: patch });
  else if (noun === 'tool') await api.PATCH('/v1/tools/{tool_id}', { params: { path: { tool_id: id } }, body: patch });
  else await api.PATCH('/v1/entries/{entry_id}', { params: { path: { entry_id: id } }, body: patch });
}

// What was taken back in this browser: the server keeps the change, not that it was undone.
const store = 'fermata.undone';

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
    /* it holds for this page then */
  }
}
