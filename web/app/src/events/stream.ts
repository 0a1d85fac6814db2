// The one connection. Reconnecting is done here: EventSource gives up after HTTP errors and does not expose them.
import { Backoff } from './backoff';
import { passing, stored, type EventName } from './types';

/** The parts of the browser that the connection needs. */
export interface Net {
  /** Opens the stream. */
  open(query: URLSearchParams): EventSource;
  /** A single-use ticket, because EventSource cannot send a key. Null if there is no key. */
  ticket(): Promise<string | null>;
  /** Makes an ordinary request to find out why the stream was refused. */
  probe(query: URLSearchParams): Promise<Trouble>;
  /** Those of the sessions that no longer exist. */
  missing(sessions: string[]): Promise<string[]>;
  random(): number;
}

export interface Trouble {
  status: number;
  retryAfter: number;
}

export interface Asked {
  sessions: string[];
  after: number | null;
}

export interface Hooks {
  /** The query of the next connection. */
  ask(): Asked;
  opened(asked: Asked): void;
  event(name: EventName, id: string, data: unknown): void;
  lost(refused: boolean): void;
  missing(sessions: string[]): void;
}

const connectTimeout = 20_000; // milliseconds until the response must begin
const steadyAfter = 2000; // milliseconds after which a connection counts as a success
const retryRefusedAfter = 30_000; // milliseconds between attempts with a refused key

export class Stream {
  private source: EventSource | null = null;
  private attempt = 0; // numbers the connections: callbacks of older ones are ignored
  private timer: ReturnType<typeof setTimeout> | undefined;
  private connectTimer: ReturnType<typeof setTimeout> | undefined;
  private backoff: Backoff;

  constructor(
    private net: Net,
    private hooks: Hooks,
  ) {
    this.backoff = new Backoff(net.random);
  }

  /** Connects (again) after a short delay that combines several reasons. An existing connection stays meanwhile. */
  join(delay: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.connect(), delay);
  }

  close(): void {
    this.attempt++;
    clearTimeout(this.timer);
    clearTimeout(this.connectTimer);
    this.source?.close();
    this.source = null;
  }

  private async connect(): Promise<void> {
    this.close();
    const attempt = this.attempt;
    let ticket: string | null;
    try {
      ticket = await this.net.ticket();
    } catch (thrown) {
      if (attempt === this.attempt) this.failed(thrown as Trouble);
      return;
    }
    if (attempt !== this.attempt) return;
    const asked = this.hooks.ask();
    const query = new URLSearchParams();
    if (asked.sessions.length) query.set('sessions', asked.sessions.join(','));
    if (asked.after !== null) query.set('after', String(asked.after));
    const plain = new URLSearchParams(query);
    if (ticket) query.set('ticket', ticket);
    const source = (this.source = this.net.open(query));
    const mine = () => attempt === this.attempt;
    this.connectTimer = setTimeout(() => this.failed(), connectTimeout);
    source.addEventListener('open', () => {
      if (!mine()) return;
      clearTimeout(this.connectTimer);
      this.connectTimer = setTimeout(() => this.backoff.reset(), steadyAfter);
      this.hooks.opened(asked);
    });
    source.addEventListener('error', () => {
      if (!mine()) return;
      if (source.readyState === 2)
        void this.refused(plain, asked); // a response, but no stream
      else this.failed();
    });
    for (const name of [...stored, ...passing]) {
      source.addEventListener(name, (event) => {
        if (mine()) this.take(name, event as MessageEvent<string>);
      });
    }
  }

  private take(name: EventName, event: MessageEvent<string>): void {
    let data: unknown;
    try {
      data = JSON.parse(event.data);
    } catch {
      return;
    }
    this.hooks.event(name, event.lastEventId, data);
    if (name === 'bye') {
      this.close();
      this.hooks.lost(false);
      // The server is shutting down, or the session ended: both are shown at once.
      this.join(this.backoff.next(50 + 250 * this.net.random()));
    }
  }

  private failed(trouble?: Trouble): void {
    this.close();
    const refused = trouble?.status === 401;
    this.hooks.lost(refused);
    this.join(this.backoff.next(Math.max(trouble?.retryAfter ?? 0, refused ? retryRefusedAfter : 0)));
  }

  private async refused(query: URLSearchParams, asked: Asked): Promise<void> {
    this.close();
    const attempt = this.attempt;
    this.hooks.lost(false);
    const trouble = await this.net.probe(query);
    const gone = trouble.status === 404 ? await this.net.missing(asked.sessions) : [];
    if (attempt !== this.attempt) return;
    if (gone.length) {
      this.hooks.missing(gone);
      this.join(0);
    } else this.failed(trouble);
  }
}
