// The one connection: made again by our own code after every error, because EventSource
// gives up on those of HTTP, and does not say what was wrong.
import { Backoff } from './backoff';
import { passing, stored, type EventName } from './types';

/** What the connection needs of the browser. */
export interface Net {
  /** Opens the stream. */
  open(query: URLSearchParams): EventSource;
  /** A ticket of one use, for EventSource cannot send a key. Null: there is no key. */
  ticket(): Promise<string | null>;
  /** Finds out by an ordinary request why the stream was refused. */
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
  /** What to ask for, when the connection is made. */
  ask(): Asked;
  opened(asked: Asked): void;
  event(name: EventName, id: string, data: unknown): void;
  lost(refused: boolean): void;
  missing(sessions: string[]): void;
}

const connectTimeout = 20_000; // the answer has to begin within this time
const steadyAfter = 2000; // a connection that lasted so long counts as a success
const retryRefusedAfter = 30_000; // for a key that is refused

export class Stream {
  private source: EventSource | null = null;
  private attempt = 0; // counts the connections: callbacks of an older one are void
  private timer: ReturnType<typeof setTimeout> | undefined;
  private connectTimer: ReturnType<typeof setTimeout> | undefined;
  private backoff: Backoff;

  constructor(
    private net: Net,
    private hooks: Hooks,
  ) {
    this.backoff = new Backoff(net.random);
  }

  /** Connects (again) after a moment, in which more reasons to do so may come. What is
   * there goes on meanwhile. */
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
        void this.refused(plain, asked); // an answer, but no stream
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
      // The server is about to go, or this tab is not let in any more: both show at once.
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
