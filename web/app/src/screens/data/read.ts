import { useQuery } from '@tanstack/react-query';
import { api, body, type Schemas } from '../../api/client';

type Zone = Schemas['Zone'];
type Tool = Schemas['Tool'];
interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

// Somebody may have a thousand tools; the overview shows them all, by name.
async function all<T>(page: (after?: string) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  let after: string | undefined;
  for (let n = 0; n < 25; n++) {
    const { data, next_cursor } = await page(after);
    found.push(...data);
    if (!next_cursor) break;
    after = next_cursor;
  }
  return found;
}

/** All zones. Its key has the path, so that events keep it fresh. */
export const useZones = () =>
  useQuery<Zone[]>({
    queryKey: ['get', '/v1/zones', 'all'],
    queryFn: () => all((after) => body(api.GET('/v1/zones', { params: { query: { limit: 200, after } } }))),
  });

/** All tools, or those of one zone. */
export const useTools = (zone?: string) =>
  useQuery<Tool[]>({
    queryKey: ['get', '/v1/tools', 'all', zone ?? ''],
    queryFn: () =>
      all((after) => body(api.GET('/v1/tools', { params: { query: { limit: 200, after, zone_id: zone } } }))),
  });

export const useTypes = () =>
  useQuery<Schemas['ToolType'][]>({
    queryKey: ['get', '/v1/tool-types', 'all'],
    queryFn: () => all((after) => body(api.GET('/v1/tool-types', { params: { query: { limit: 200, after } } }))),
  });

interface EntriesQuery {
  period?: string;
  from?: string;
  until?: string;
  order?: 'asc' | 'desc';
  limit?: number;
  after?: string;
}

/** A page of entries. (The same address gives CSV too, so the answer's type has to be chosen.) */
export const readEntries = async (tool: string, query: EntriesQuery) =>
  (await body(
    api.GET('/v1/tools/{tool_id}/entries', { params: { path: { tool_id: tool }, query } }),
  )) as Schemas['EntryList'];

// As openapi-react-query would name it: an event about one tool makes only that tool's entries old.
export const entriesKey = (tool: string, query: EntriesQuery) => [
  'get',
  '/v1/tools/{tool_id}/entries',
  { params: { path: { tool_id: tool }, query } },
];

export const useEntries = (tool: string, query: EntriesQuery) =>
  useQuery<Schemas['EntryList']>({
    queryKey: entriesKey(tool, query),
    queryFn: () => readEntries(tool, query),
    placeholderData: (old) => old,
  });
