// The event client of this page, wired to the browser.
import { serverURL } from '../api/base';
import { api, body, newKey } from '../api/client';
import { onSignedIn } from '../api/who';
import { asProblem } from '../api/problem';
import { chosenWorkspace } from '../api/workspace';
import { getLang } from '../i18n/lang';
import { localised } from './localised';
import type { Net, Trouble } from './stream';
import { Tab } from './tab';
import type { EventClient } from './types';

const trouble = (thrown: unknown): Trouble => {
  const { status, retryAfter } = asProblem(thrown);
  return { status, retryAfter: retryAfter * 1000 };
};

const net: Net = {
  open: (query) => new EventSource(serverURL(`/v1/events/stream?${query}`)),
  // The cookie is sent with the request, but the chosen workspace is not: a ticket is for one workspace.
  ticket: async () => {
    if (!chosenWorkspace()) return null;
    return (await body(api.POST('/v1/stream-tickets'))).ticket;
  },
  async probe(query) {
    const sessions = query.get('sessions') ?? undefined;
    try {
      await api.GET('/v1/events', { params: { query: { sessions, limit: 1 } } });
    } catch (thrown) {
      return trouble(thrown);
    }
    return { status: 0, retryAfter: 0 };
  },
  async missing(sessions) {
    const there = await Promise.all(
      sessions.map(async (session_id) => {
        try {
          await api.GET('/v1/sessions/{session_id}', { params: { path: { session_id } } });
        } catch (thrown) {
          return asProblem(thrown).status !== 404;
        }
        return true;
      }),
    );
    return sessions.filter((_, i) => !there[i]);
  },
  random: Math.random,
};

const tab = new Tab({
  net,
  channel: 'BroadcastChannel' in window ? (name) => new BroadcastChannel(name) : null,
  locks: navigator.locks ?? null,
  key: () => null, // all tabs share one sign-in
  hidden: () => document.hidden,
  newID: newKey,
});

const alone = !('BroadcastChannel' in window);
let hiddenAt: number | null = null;
let begun = false;
const enter = () => {
  if (begun) tab.enter();
};

/** Begins to receive events. Before the server knows the reader, it would only refuse. */
export function begin(): void {
  if (begun) return;
  begun = true;
  if (!alone || !document.hidden) enter();
}

// A page that is hidden may be restored from the back/forward cache; one that is frozen cannot lead.
window.addEventListener('pagehide', () => tab.leave());
window.addEventListener('pageshow', enter);
document.addEventListener('freeze', () => tab.leave());
document.addEventListener('resume', enter);
window.addEventListener('online', () => tab.checkConnection());
document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    hiddenAt = Date.now();
    if (alone) tab.leave(); // a browser has six connections for all tabs
    return;
  }
  enter();
  if (hiddenAt !== null && Date.now() - hiddenAt > 30_000) tab.checkConnection();
  hiddenAt = null;
});
onSignedIn(() => {
  if (begun) tab.restart();
});

/** The events of this page, with the server's sentences in the page's language. */
export const events: EventClient = {
  subscribe: (handler) => tab.subscribe((event) => handler(localised(event, getLang()))),
  watch: (sessionID) => tab.watch(sessionID),
  resync: () => tab.resync(),
  onOpen: (handler) => tab.onOpen(handler),
  connection: () => tab.connection(),
  onConnection: (handler) => tab.onConnection(handler),
};
