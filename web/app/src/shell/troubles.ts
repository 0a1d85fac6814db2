// Failures in the background, shown where they belong: at the automation, at the chat, on Home and as a count in
// the menu. Most are read from the server; those that only arrive as events are stored until they are viewed.
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';
import { storageName } from '../api/base';
import { $api, type Schemas } from '../api/client';
import { useEvents } from '../events/react';

type Session = Schemas['Session'];

/** A failure in the background. */
export interface Report {
  /** The subject: a session, or a kind of notice. */
  id: string;
  code: string;
  text: string;
  level: string;
  at: number;
}

const store = storageName('told');
const listeners = new Set<() => void>();
let reports: readonly Report[] = read();

function read(): readonly Report[] {
  try {
    const kept = JSON.parse(sessionStorage.getItem(store) ?? '[]') as unknown;
    return Array.isArray(kept)
      ? (kept as Report[]).filter((x) => typeof x?.id === 'string' && typeof x.text === 'string')
      : [];
  } catch {
    return [];
  }
}

function write(next: readonly Report[]): void {
  reports = next.slice(-20);
  try {
    sessionStorage.setItem(store, JSON.stringify(reports));
  } catch {
    /* kept until the page is closed */
  }
  for (const listener of listeners) listener();
}

/** Removes a failure that was viewed or that recovered. */
export function looked(id: string): void {
  if (reports.some((x) => x.id === id)) write(reports.filter((x) => x.id !== id));
}

const subscribe = (changed: () => void) => {
  listeners.add(changed);
  return () => {
    listeners.delete(changed);
  };
};

/** The failures from events, the latest last. */
export const useReported = (): readonly Report[] => useSyncExternalStore(subscribe, () => reports);

/** Stores the failures that events report. */
export function TroubleWatch() {
  const [path] = useLocation();
  useEvents((event) => {
    if (event.name === 'session.status' && event.data.session.status === 'running') looked(event.data.session.id);
    if (event.name !== 'notice' || event.data.level === 'info') return;
    const { level, code, text, session_id } = event.data;
    // Failures of the open session are in its record.
    if (session_id && session_id === document.body.dataset.session) return;
    const id = session_id || code;
    write([...reports.filter((x) => x.id !== id), { id, code, text, level, at: Date.now() }]);
  });
  useEffect(() => {
    const [, screen, id] = path.split('/');
    if (id && (screen === 'chat' || screen === 'timeline')) looked(id);
    if (path.startsWith('/settings/webhooks')) looked('webhook_disabled');
    if (screen === 'automations') looked('automation_not_started');
  }, [path]);
  return null;
}

/** An automation that needs attention: the server disabled it, or its run cannot reach the AI. */
export interface TroubledAutomation {
  id: string;
  name: string;
  kind: 'stopped' | 'unreachable';
  /** The waiting run. */
  run?: Session;
}
export interface Troubles {
  automations: TroubledAutomation[];
  chats: Report[];
  others: Report[];
}

const unreachable = (s: Session | null | undefined): s is Session & { automation_id: string } =>
  s?.phase === 'WAITING_NETWORK_RETRY' && s.type === 'AUTOMATION' && s.automation_id !== null;

/** All failures in the background. */
export function useTroubles(): Troubles {
  const automations = $api.useQuery('get', '/v1/automations', { params: { query: { limit: 200 } } }).data?.data;
  const holder = $api.useQuery('get', '/v1/slot').data?.holder;
  const queue = $api.useQuery('get', '/v1/queue').data?.data;
  const suspended = $api.useQuery('get', '/v1/sessions', {
    params: { query: { status: 'suspended', limit: 10 } },
  }).data?.data;
  const remembered = useReported();
  return useMemo(() => {
    const found = new Map<string, TroubledAutomation>();
    for (const run of [holder, ...(queue ?? []).map((row) => row.session), ...(suspended ?? [])])
      if (unreachable(run) && !found.has(run.automation_id))
        found.set(run.automation_id, { id: run.automation_id, name: run.name, kind: 'unreachable', run });
    for (const { id, name, enabled, disabled_reason } of automations ?? [])
      if (!enabled && disabled_reason) found.set(id, { id, name, kind: 'stopped' });
    const runs = new Set([...found.values()].map((x) => x.run?.id));
    const rest = remembered.filter((x) => !runs.has(x.id) && x.code !== 'automation_disabled');
    return {
      automations: [...found.values()],
      chats: rest.filter((x) => x.id.startsWith('ses_')),
      others: rest.filter((x) => !x.id.startsWith('ses_')),
    };
  }, [automations, holder, queue, suspended, remembered]);
}
