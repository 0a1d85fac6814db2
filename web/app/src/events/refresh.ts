// Which of what was read is old after an event. Queries are named by their path, so a
// screen that reads with $api.useQuery is kept fresh without code of its own.
import type { QueryClient } from '@tanstack/react-query';
import { events } from './client';
import type { EventName, StreamEvent } from './types';

type Read = string; // the beginning of a path

const session: Read[] = ['/v1/sessions'];
const concerned: Partial<Record<EventName, Read[]>> = {
  'session.phase': ['/v1/slot', '/v1/sessions/{session_id}'],
  'session.created': session,
  'session.status': [...session, '/v1/automations'],
  'session.ended': [...session, '/v1/automations'],
  'approval.requested': ['/v1/approvals'],
  'approval.settled': ['/v1/approvals'],
  'slot.changed': ['/v1/slot', '/v1/admin/status'],
  'queue.changed': ['/v1/queue'],
  'automation.changed': ['/v1/automations'],
  'occurrence.recorded': ['/v1/automations'],
  'usage.updated': ['/v1/usage'],
};
const ofNoun: Record<string, Read[]> = {
  zone: ['/v1/zones', '/v1/tools', '/v1/search'],
  tool_type: ['/v1/tool-types', '/v1/tools'],
  tool: ['/v1/tools', '/v1/search'],
  entry: ['/v1/tools/{tool_id}', '/v1/entries', '/v1/search'],
  document: ['/v1/documents', '/v1/search'],
};

function readsOf(event: StreamEvent): Read[] {
  if (event.name === 'data.changed') return ofNoun[event.data.noun] ?? ['/v1/'];
  return concerned[event.name] ?? [];
}

/** Keeps the queries fresh. Many events at once read once: they are gathered for a moment. */
export function keepFresh(queries: QueryClient): void {
  const due = new Set<Read>();
  let timer = 0;
  const flush = () => {
    timer = 0;
    const reads = [...due];
    due.clear();
    void queries.invalidateQueries({
      predicate: ({ queryKey }) => reads.some((read) => typeof queryKey[1] === 'string' && queryKey[1].startsWith(read)),
    });
  };
  events.subscribe((event) => {
    for (const read of readsOf(event)) due.add(read);
    if (due.size && !timer) timer = window.setTimeout(flush, 120);
  });
  let opened = false;
  events.onOpen(() => {
    if (opened) void queries.invalidateQueries(); // what happened meanwhile is unknown
    opened = true;
  });
}
