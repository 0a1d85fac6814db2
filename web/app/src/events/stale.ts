// Which reads an event makes stale.
import type { EventName, StreamEvent } from './types';

/** Reads whose path begins with `path`, or with `exact` equals it; with `of`, only those of one object. */
export interface Stale {
  path: string;
  exact?: boolean;
  of?: { param: string; id: string };
}

/** A query key of openapi-react-query. */
export function isStale(key: readonly unknown[], olds: readonly Stale[]): boolean {
  const [, path, init] = key as [unknown, unknown, { params?: { path?: Record<string, unknown> } } | undefined];
  return (
    typeof path === 'string' &&
    olds.some(
      ({ path: begin, exact, of }) =>
        (exact ? path === begin : path.startsWith(begin)) && (!of || names(init?.params?.path?.[of.param], of.id)),
    )
  );
}

// A key made by a screen may not name the object: then it may be this one.
const names = (about: unknown, id: string) => about === undefined || about === id;

const all = (...paths: string[]): Stale[] => paths.map((path) => ({ path }));
const own = (path: string, param: string, id: string | undefined): Stale[] => (id ? [{ path, of: { param, id } }] : []);
const session = (id: string | undefined): Stale[] => own('/v1/sessions/{session_id}', 'session_id', id);

/** All reads of these sessions. */
export const ofSessions = (ids: readonly string[]): Stale[] => ids.flatMap(session);

type Table = { [N in EventName]?: (data: Extract<StreamEvent, { name: N }>['data']) => Stale[] };
const moved: Table['session.status'] = ({ session: s }) => [
  { path: '/v1/sessions', exact: true },
  ...session(s.id),
  ...all('/v1/slot', '/v1/usage'),
  ...(s.automation_id ? all('/v1/automations', '/v1/runs') : []),
];

const table: Table = {
  'session.created': moved,
  'session.status': moved,
  'session.ended': moved,
  'session.phase': (d) => [...session(d.session_id), ...all('/v1/slot')],
  'message.created': (d) => session(d.message.session_id),
  'message.updated': (d) => session(d.message.session_id),
  'message.deleted': (d) => session(d.message.session_id),
  'command.planned': (d) => session(d.execution.session_id),
  'command.started': (d) => session(d.execution.session_id),
  'command.ended': (d) => session(d.execution.session_id),
  'approval.requested': (d) => [...all('/v1/approvals'), ...session(d.approval.session_id)],
  'approval.settled': (d) => [...all('/v1/approvals'), ...session(d.approval.session_id)],
  'usage.updated': (d) => [...all('/v1/usage'), ...session(d.session_id)],
  'context.compacted': (d) => session(d.session_id),
  'slot.changed': () => all('/v1/slot', '/v1/admin/status'),
  'queue.changed': () => all('/v1/queue'),
  'automation.changed': () => all('/v1/automations'),
  'occurrence.recorded': () => all('/v1/automations', '/v1/occurrences'),
  'task.changed': (d) => [...all('/v1/tasks'), ...session(d.task.session_id)],
  'answers.changed': (d) => session(d.session_id),
  'data.changed': (d) => data(d.noun, d.tool_id),
};

function data(noun: string, tool: string | undefined): Stale[] {
  switch (noun) {
    case 'zone':
      return all('/v1/zones', '/v1/tools', '/v1/search');
    case 'tool_type':
      return all('/v1/tool-types', '/v1/tools');
    case 'tool':
      return all('/v1/tools', '/v1/search');
    case 'entry':
      return [
        ...(tool ? own('/v1/tools/{tool_id}', 'tool_id', tool) : all('/v1/tools')),
        ...all('/v1/entries', '/v1/search'),
      ];
    case 'document':
      return all('/v1/documents', '/v1/search');
    default:
      return all('/v1/'); // a kind that this page does not know
  }
}

/** The reads that an event makes stale. An event with unexpected data makes none stale. */
export function staleAfter(event: StreamEvent): Stale[] {
  try {
    return (table[event.name] as ((data: unknown) => Stale[]) | undefined)?.(event.data) ?? [];
  } catch {
    return [];
  }
}
