// Everything that the palette can open.
import { $api } from '../../api/client';
import { useMay } from '../../api/me';
import { useSettled } from '../../ui/useSettled';
import { useFormat } from '../../i18n/format';
import { pathOf, screens } from '../screens';
import { texts as shellTexts } from '../texts';
import { useWaiting } from '../useWaiting';
import { useCommands } from './commands';
import { letters } from './goKeys';
import { rank, type Target } from './rank';
import { texts } from './texts';

const sections = [
  'providers',
  'validation',
  'limits',
  'budgets',
  'automations',
  'network',
  'calendar',
  'prompts',
  'connectors',
  'agents',
  'keys',
  'webhooks',
  'you',
  'page',
] as const;
// The settings that are not only for administrators.
const everybodys: readonly string[] = ['you', 'page'];

/** The targets that match the typed words: names that are known at once, then the server's search results. */
export function useTargets(query: string): { targets: Target[]; busy: boolean } {
  const t = texts.use();
  const ts = shellTexts.use();
  const f = useFormat();
  const asked = useSettled(query.trim().slice(0, 200), 200);
  const limit = 200;
  const admin = useMay('admin');
  const talks = useTalks(asked);
  const automations = $api.useQuery('get', '/v1/automations', { params: { query: { limit } } });
  const zones = $api.useQuery('get', '/v1/zones', { params: { query: { limit } } });
  const tools = $api.useQuery('get', '/v1/tools', { params: { query: { limit } } });
  const runs = $api.useQuery('get', '/v1/runs', { params: { query: { limit: 100 } } });
  const documents = $api.useQuery('get', '/v1/documents', { params: { query: { limit } } });
  const commands = useCommands(useWaiting());
  const found = $api.useQuery(
    'get',
    '/v1/search',
    { params: { query: { q: asked, limit: 6 } } },
    { enabled: asked.length > 1 },
  );
  const named: Target[] = [
    ...screens
      .filter((s) => admin || s !== 'system')
      .map((s) => ({
        id: `screen-${s}`,
        group: 'screens',
        name: ts(`nav.${s}`),
        href: pathOf(s),
        keys: `G ${letters[s]}`,
      })),
    { id: 'new-chat', group: 'screens', name: t('chat.new'), href: '/chat' },
    { id: 'screen-tasks', group: 'screens', name: t('tasks'), href: '/tasks' },
    ...(admin
      ? [{ id: 'new-automation', group: 'screens' as const, name: t('automation.new'), href: '/automations/new' }]
      : []),
    ...(automations.data?.data ?? []).map((a) => ({
      id: a.id,
      group: 'automations',
      name: a.name,
      href: `/automations/${a.id}`,
    })),
    ...(zones.data?.data ?? []).map((z) => ({ id: z.id, group: 'data', name: z.name, href: `/data/zones/${z.id}` })),
    ...(tools.data?.data ?? []).map((tool) => ({
      id: tool.id,
      group: 'data',
      name: tool.name,
      href: `/data/tools/${tool.id}`,
      note: zones.data?.data.find((z) => z.id === tool.zone_id)?.name,
    })),
    ...(documents.data?.data ?? []).map((d) => ({
      id: d.id,
      group: 'data',
      name: d.title || d.key,
      href: `/data/documents/${d.id}`,
      note: t('document'),
    })),
    ...(query.trim() ? (runs.data?.data ?? []) : []).map((run) => ({
      id: run.session_id,
      group: 'runs',
      name: run.name,
      href: `/timeline/${run.session_id}`,
      note: f.time(run.requested_at),
    })),
    ...commands,
    ...sections
      .filter((s) => admin || everybodys.includes(s))
      .map((s) => ({
        id: `settings-${s}`,
        group: 'settings',
        name: t(`settings.${s}`),
        href: `/settings/${s}`,
      })),
  ];
  const hits: Target[] =
    asked.length > 1
      ? (found.data?.data ?? []).map((hit) => ({
          id: `hit-${hit.id}`,
          group: 'found',
          name: (hit.title || hit.snippet || hit.id).slice(0, 120),
          note: hit.tool_name ?? hit.key ?? undefined,
          href: hit.kind === 'document' ? `/data/documents/${hit.id}` : `/data/tools/${hit.tool_id}`,
        }))
      : [];
  const every = query.trim() ? 6 : 4;
  const byName = rank(talks.chats, query, every);
  const inMessages = asked
    ? talks.all.filter((x) => !byName.some((chat) => chat.id === x.id)).map((x) => ({ ...x, group: 'messages' }))
    : [];
  return {
    targets: [
      ...rank(
        named.filter((x) => x.group === 'screens'),
        query,
        query.trim() ? 6 : 20,
      ),
      ...byName,
      ...rank(
        named.filter((x) => x.group !== 'screens' && (query.trim() || !['settings', 'commands'].includes(x.group))),
        query,
        every,
      ),
      ...inMessages.slice(0, every),
      ...hits,
    ],
    busy: talks.busy || found.isFetching || asked !== query.trim().slice(0, 200),
  };
}

/** The chats with that name, and the chats and runs that contain the words. */
function useTalks(asked: string): { chats: Target[]; all: Target[]; busy: boolean } {
  const t = texts.use();
  const f = useFormat();
  const found = $api.useQuery('get', '/v1/sessions', {
    params: { query: asked ? { q: asked, in: 'messages', limit: 20 } : { type: 'CHAT', limit: 8 } },
  });
  const all = (found.data?.data ?? []).filter((s) => s.type === 'CHAT' || s.type === 'AUTOMATION');
  const target = (s: (typeof all)[number]): Target => ({
    id: s.id,
    group: 'chats',
    name: s.name || t('chat.unnamed'),
    href: `/chat/${s.id}`,
    note: f.time(s.last_event_time),
  });
  return {
    chats: all.filter((s) => s.type === 'CHAT' && s.name).map(target),
    all: all.map(target),
    busy: found.isFetching,
  };
}
