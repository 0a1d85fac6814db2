import { useQuery } from '@tanstack/react-query';
import { api, body, type Schemas } from '../../api/client';

type Zone = Schemas['Zone'];
type Tool = Schemas['Tool'];
interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

// A workspace may have a thousand tools; the overview lists all of them by name.
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

/** All zones. The query key contains the path, so that events refresh it. */
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

/** A page of entries. (The same path also returns CSV, so the response type has to be chosen.) */
export const readEntries = async (tool: string, query: EntriesQuery) =>
  (await body(
    api.GET('/v1/tools/{tool_id}/entries', { params: { path: { tool_id: tool }, query } }),
  )) as Schemas['EntryList'];

// Named as by openapi-react-query: an event about one tool invalidates only that tool's entries.
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
