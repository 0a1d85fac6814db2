import { body, api } from '../api/client';
import { getKey, onKey } from '../api/key';
import { asProblem } from '../api/problem';
import { passing, stored, type Connection, type EventClient, type EventName, type StreamEvent } from './types';

/** A stream of this tab alone. */
class Direct implements EventClient {
  private handlers = new Set<(event: StreamEvent) => void>();
  private openers = new Set<() => void>();
  private changed = new Set<() => void>();
  private watched = new Map<string, number>();
  private cursor: number | null = null;
  private source: EventSource | null = null;
  private attempt = 0;
  private turn = 0; // whoever is not of the present turn is void
  private timer = 0;
  private now: Connection = { state: 'connecting' };

  constructor() {
    window.addEventListener('online', () => this.again(0));
    onKey(() => this.again(0));
    this.again(0);
  }

  subscribe(handler: (event: StreamEvent) => void) {
    this.handlers.add(handler);
    return () => { this.handlers.delete(handler); };
  }

  watch(sessionID: string) {
    this.watched.set(sessionID, (this.watched.get(sessionID) ?? 0) + 1);
    this.again(0);
    return () => {
      const left = (this.watched.get(sessionID) ?? 1) - 1;
      if (left > 0) this.watched.set(sessionID, left);
      else this.watched.delete(sessionID);
    };
  }

  resync() { this.again(0); }

  onOpen(handler: () => void) {
    this.openers.add(handler);
    return () => { this.openers.delete(handler); };
  }

  connection() { return this.now; }

  onConnection(handler: () => void) {
    this.changed.add(handler);
    return () => { this.changed.delete(handler); };
  }

  private again(delay: number) {
    this.turn++;
    clearTimeout(this.timer);
    this.source?.close();
    const turn = this.turn;
    this.timer = window.setTimeout(() => void this.connect(turn), delay);
  }

  private async connect(turn: number) {
    const query = new URLSearchParams();
    if (this.watched.size) query.set('sessions', [...this.watched.keys()].join(','));
    if (this.cursor !== null) query.set('after', String(this.cursor));
    try {
      // EventSource cannot send the key, so it is exchanged for a ticket of one use.
      if (getKey()) query.set('ticket', (await body(api.POST('/v1/stream-tickets'))).ticket);
    } catch (thrown) {
      if (turn === this.turn) this.failed(asProblem(thrown).retryAfter);
      return;
    }
    if (turn !== this.turn) return;
    const source = new EventSource(`/v1/events/stream?${query}`);
    this.source = source;
    source.addEventListener('open', () => {
      if (turn !== this.turn) return;
      this.attempt = 0;
      this.be({ state: 'open' });
      for (const opener of this.openers) opener();
    });
    source.addEventListener('error', () => { if (turn === this.turn) this.failed(0); });
    for (const name of [...stored, ...passing]) {
      source.addEventListener(name, (event) => { if (turn === this.turn) this.take(name, event as MessageEvent<string>); });
    }
  }

  private take(name: EventName, event: MessageEvent<string>) {
    let data: unknown;
    try { data = JSON.parse(event.data); } catch { return; }
    const seq = (stored as readonly string[]).includes(name) ? Number(event.lastEventId) || 0 : 0;
    if (name === 'reset') this.cursor = null;
    if (name === 'snapshot') this.cursor = (data as { seq: number }).seq;
    if (seq > 0 && this.cursor !== null && seq <= this.cursor) return;
    for (const handler of this.handlers) handler({ name, seq, data } as StreamEvent);
    if (seq > 0) this.cursor = seq;
    if (name === 'bye') this.failed(0);
  }

  private failed(retryAfter: number) {
    if (this.now.state !== 'lost') this.be({ state: 'lost', since: performance.now() });
    const most = Math.min(10_000, 200 * 2 ** this.attempt++);
    this.again(Math.max(most * (0.5 + Math.random() / 2), retryAfter * 1000));
  }

  private be(next: Connection) {
    this.now = next;
    for (const handler of this.changed) handler();
  }
}

export const events: EventClient = new Direct();
