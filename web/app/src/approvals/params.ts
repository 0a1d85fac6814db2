// The schema of an action's params with all that is known: a record's data by its tool
// type, and names to choose from instead of ids.
import { $api, type Schemas } from '../api/client';
import type { Schema } from '../ui/SchemaForm';
import type { Fields } from '../ui/schemaform/types';

type Action = Schemas['ApprovalAction'];
const text = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** Null while it is loading. */
export function useParamsSchema(action: Action, wanted: boolean): Schema | null {
  const params = (action.params ?? {}) as Fields;
  const { command } = action;
  const commands = $api.useQuery('get', '/v1/commands', {}, { enabled: wanted, staleTime: Infinity });
  const entry = $api.useQuery(
    'get',
    '/v1/entries/{entry_id}',
    { params: { path: { entry_id: text(params.entry_id) ?? '' } } },
    { enabled: wanted && Boolean(params.entry_id) && command === 'UPDATE_DATA', retry: false },
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
  const schema = commands.data?.data.find((c) => c.name === command)?.params_schema as Schema | undefined;
  const typeID = text(params.tool_type) ?? tool.data?.tool_type;
  const type = types.data?.data.find((x) => x.id === typeID);
  return paramsSchema(schema ?? { type: 'object' }, params, {
    entry: type?.entry_schema as Schema | undefined,
    config: type?.config_schema as Schema | undefined,
    patch: command.startsWith('UPDATE_'),
    zones: zones.data?.data,
    tool: tool.data,
  });
}

interface Known {
  entry?: Schema;
  config?: Schema;
  patch: boolean;
  zones?: { id: string; name: string }[];
  tool?: { id: string; name: string };
}

/** An update names only the fields that change; null removes one. */
const asPatch = (schema: Schema): Schema => ({ ...schema, required: [] });

export function paramsSchema(schema: Schema, params: Fields, known: Known): Schema {
  const given = schema.properties ?? {};
  // The AI's own note about its call is not edited, unless there is one.
  const properties = Object.fromEntries(
    Object.entries(given).filter(([name]) => name in params || !['repeat', 'validation_request'].includes(name)),
  );
  const put = (name: string, better: Schema | undefined) => {
    if (better && properties[name] !== undefined) properties[name] = { ...(properties[name] as Schema), ...better };
  };
  const data = known.entry && (known.patch ? asPatch(known.entry) : known.entry);
  put('body', { format: 'multiline' });
  put('data', data);
  put('config', known.config && (known.patch ? asPatch(known.config) : known.config));
  const entries = properties.entries as Schema | undefined;
  const items = entries?.items as Schema | undefined;
  if (data && items?.properties)
    properties.entries = {
      ...entries,
      items: { ...items, properties: { ...items.properties, data: { ...(items.properties.data as Schema), ...data } } },
    };
  if (known.zones?.some((z) => z.id === params.zone_id))
    put('zone_id', { oneOf: known.zones.map((z) => ({ const: z.id, title: z.name })) });
  if (known.tool && known.tool.id === params.tool_id)
    put('tool_id', { oneOf: [{ const: known.tool.id, title: known.tool.name }] });
  // The ids of the record come last: they are seldom changed.
  const isID = ([name]: [string, unknown]) => Number(/_ids?$|^key$/.test(name));
  return {
    ...schema,
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).toSorted((a, b) => isID(a) - isID(b))),
  };
}
