// A server for tests: a log with numbers, answers that stream, connections that break.
import type { Net, Trouble } from '../stream';

export interface Logged {
  seq: number;
  name: string;
  session: string | null;
  data: unknown;
}
interface Answer {
  message: string;
  text: string;
}
type Listener = (event: { data: string; lastEventId: string }) => void;

/** The part of an EventSource that the client uses. */
export class FakeSource {
  readyState = 0;
  private listeners = new Map<string, Listener[]>();
  private queue = Promise.resolve();
  constructor(
    private server: FakeServer,
    readonly sessions: string[],
    readonly after: number | null,
  ) {}

  addEventListener(name: string, listener: Listener) {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
  }

  close() {
    this.readyState = 2;
    this.server.sources.delete(this);
  }

  emit(name: string, data: unknown = null, id = 0) {
    const text = JSON.stringify(data); // a copy of the current state, not of that at delivery
    this.queue = this.queue.then(() => {
      if (this.readyState !== 2)
        for (const listener of this.listeners.get(name) ?? []) listener({ data: text, lastEventId: String(id) });
    });
  }

  /** The connection ends; with an HTTP error EventSource gives up. */
  fail(http: boolean) {
    if (this.readyState === 2) return;
    this.server.sources.delete(this);
    this.queue = this.queue.then(() => {
      if (this.readyState === 2) return;
      this.readyState = http ? 2 : 0;
      for (const listener of this.listeners.get('error') ?? []) listener({ data: '', lastEventId: '' });
    });
  }
}

/** Events of every session that a stream contains. */
const overview = new Set(['session.status', 'slot.changed', 'notice', 'data.changed']);

export class FakeServer {
  log: Logged[] = [];
  answers = new Map<string, Answer>();
  sources = new Set<FakeSource>();
  deleted = new Set<string>();
  joins: { sessions: string[]; after: number | null }[] = [];
  tickets = 0;
  probes = 0;
  most = 0; // streams at once
  /** The server's response instead of a stream. */
  trouble: Trouble | null = null;
  unreachable = false;
  pruned = 0;
  private next = 1;
  private messages = 0;

  constructor(
    readonly random: () => number = Math.random,
    readonly latency = () => 1 + Math.floor(this.random() * 20),
  ) {}

  net(dead: () => boolean = () => false): Net {
    return {
      random: this.random,
      open: (query) => this.open(query, dead) as unknown as EventSource,
      ticket: async () => {
        this.tickets++;
        return null;
      },
      probe: async (query) => {
        this.probes++;
        return this.unknown(query.get('sessions')?.split(',') ?? [])
          ? { status: 404, retryAfter: 0 }
          : (this.trouble ?? { status: 0, retryAfter: 0 });
      },
      missing: async (sessions) => sessions.filter((session) => this.deleted.has(session)),
    };
  }

  private unknown(sessions: string[]) {
    return sessions.some((session) => this.deleted.has(session));
  }

  private open(query: URLSearchParams, dead: () => boolean): FakeSource {
    const source = new FakeSource(
      this,
      query.get('sessions')?.split(',') ?? [],
      query.has('after') ? Number(query.get('after')) : null,
    );
    setTimeout(() => {
      if (dead() || source.readyState === 2) return;
      if (this.unreachable) {
        source.fail(false);
        return;
      }
      if (this.trouble || this.unknown(source.sessions)) {
        source.fail(true);
        return;
      }
      this.join(source);
    }, this.latency());
    return source;
  }

  private join(source: FakeSource) {
    this.sources.add(source);
    this.joins.push({ sessions: source.sessions, after: source.after });
    this.most = Math.max(this.most, this.sources.size);
    source.readyState = 1;
    source.emit('open');
    const newest = this.log.at(-1)?.seq ?? 0;
    if (source.after === null || source.after > newest || source.after < this.pruned) {
      if (source.after !== null) source.emit('reset', { reason: 'pruned' });
      source.emit('snapshot', { seq: newest, queue: [], approvals: [] }, newest);
    } else {
      for (const event of this.log)
        if (event.seq > source.after && wants(source, event)) source.emit(event.name, event.data, event.seq);
    }
    for (const session of source.sessions) {
      const answer = this.answers.get(session);
      if (answer?.text)
        source.emit('message.snapshot', {
          session_id: session,
          message_id: answer.message,
          kind: 'text',
          offset: [...answer.text].length,
          text: answer.text,
        });
    }
  }

  /** Records an event. Without a session it belongs to the workspace. */
  record(name: string, session: string | null = null, data: object = {}): number {
    const event = { seq: this.next++, name, session, data: { session_id: session, ...data } };
    this.log.push(event);
    for (const source of this.sources) if (wants(source, event)) source.emit(name, event.data, event.seq);
    return event.seq;
  }

  /** The AI streams a delta of its answer. */
  write(session: string, text: string) {
    let answer = this.answers.get(session);
    if (!answer) this.answers.set(session, (answer = { message: `msg_${++this.messages}`, text: '' }));
    this.passing(session, 'message.delta', {
      session_id: session,
      message_id: answer.message,
      kind: 'text',
      offset: [...answer.text].length,
      text,
    });
    answer.text += text;
  }

  /** The answer becomes a message. */
  settle(session: string): { id: string; text: string } | null {
    const answer = this.answers.get(session);
    if (!answer) return null;
    this.answers.delete(session);
    const message = { id: answer.message, session_id: session, text: answer.text };
    this.record('message.created', session, { message });
    return message;
  }

  discard(session: string): string | null {
    const answer = this.answers.get(session);
    if (!answer) return null;
    this.answers.delete(session);
    this.passing(session, 'message.discarded', { session_id: session, message_id: answer.message, reason: 'network' });
    return answer.message;
  }

  private passing(session: string, name: string, data: object) {
    for (const source of this.sources) if (source.sessions.includes(session)) source.emit(name, data);
  }

  cut(http = false) {
    for (const source of this.sources) source.fail(http);
  }
  bye() {
    for (const source of this.sources) source.emit('bye', { reason: 'shutdown' });
  }

  /** The log up to here is discarded. */
  prune() {
    this.pruned = this.next - 1;
  }

  /** All data is lost: numbers restart. */
  wipe() {
    this.cut();
    this.log = [];
    this.next = 1;
    this.answers.clear();
  }
}

export const wants = (to: { sessions: readonly string[] }, event: Logged): boolean =>
  event.session === null || overview.has(event.name) || to.sessions.includes(event.session);
