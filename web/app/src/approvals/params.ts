// The schema of an action's params with all that is known: a record's data by its tool
// type, and names to choose from instead of ids.
import { $api, type Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import type { Schema } from '../ui/SchemaForm';
import type { Fields } from '../ui/schemaform/types';
import { paramsSchema, withoutDescriptions } from './paramsSchema';

type Action = Schemas['ApprovalAction'];
const text = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** Null while it is loading. */
export function useParamsSchema(action: Action, wanted: boolean): Schema | null {
  const params = (action.params ?? {}) as Fields;
  const { command } = action;
  const f = useFormat();
  const commands = $api.useQuery('get', '/v1/commands', {}, { enabled: wanted, staleTime: Infinity });
  const entry = $api.useQuery(
    'get',
    '/v1/entries/{entry_id}',
    { params: { path: { entry_id: text(params.entry_id) ?? '' } } },
    { enabled: wanted && Boolean(params.entry_id) && /^(UPDATE|DELETE)_DATA$/.test(command), retry: false },
  );
  const toolID = text(params.tool_id) ?? text(entry.data?.tool_id);
  const tool = $api.useQuery(
    'get',
    '/v1/tools/{tool_id}',
    { params: { path: { tool_id: toolID ?? '' } } },
    { enabled: wanted && toolID !== undefined, retry: false },
  );
  const types = $api.useQuery(
    'get',
    '/v1/tool-types',
    { params: { query: { limit: 200 } } },
    { enabled: wanted && /_(DATA|TOOL)$/.test(command) },
  );
  const zones = $api.useQuery(
    'get',
    '/v1/zones',
    { params: { query: { limit: 200 } } },
    { enabled: wanted && 'zone_id' in params },
  );
  const waits =
    commands.isPending || (entry.isLoading && !entry.error) || tool.isLoading || types.isLoading || zones.isLoading;
  if (!wanted || waits) return null;
  const spec = commands.data?.data.find((c) => c.name === command);
  const given = (spec?.params_schema ?? { type: 'object' }) as Schema;
  const schema = spec?.source === 'builtin' ? withoutDescriptions(given) : given;
  const typeID = text(params.tool_type) ?? tool.data?.tool_type;
  const type = types.data?.data.find((x) => x.id === typeID);
  return paramsSchema(schema, params, {
    entry: type?.entry_schema as Schema | undefined,
    config: type?.config_schema as Schema | undefined,
    isPatch: command.startsWith('UPDATE_'),
    zones: zones.data?.data,
    tool: tool.data,
    record: entry.data &&
      tool.data && { id: entry.data.id, name: `${tool.data.name}, ${f.time(entry.data.timestamp)}` },
  });
}
