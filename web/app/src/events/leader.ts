import { Live } from './live';
import { Stream, type Asked, type Net } from './stream';
import { stored, type EventName, type StreamEvent } from './types';
import type { Union } from './union';
import type { FromLeader, Leading, StreamState, ToLeader } from './wire';

const gatherFor = 30; // milliseconds in which changes to the watched sessions are combined
const shrinkAfter = 30_000; // milliseconds for which sessions stay in the stream after they are no longer watched
const minReconnectInterval = 3000; // milliseconds between replacements of a stream that may be dead
const maxSessions = 200; // sessions in one stream
const idleAfter = 120_000; // milliseconds without an event after which a stream is replaced

const isStored = new Set<EventName>(stored);

/** Owns the one stream for all tabs, and passes its events on. */
export class Leader {
  private stream: Stream;
  private live = new Live();
  private position: number; // the number of the last event
  private asked: Asked = { sessions: [], after: null };
  private joinedAt = 0;
  private receivedAt = 0;
  private lostAt: number;
  private replay: number | null = null; // a tab missed the events after it
  private deleted = new Set<string>(); // deleted sessions: the server refuses a stream with them
  private shrinking: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;
  private joins = Date.now();

  constructor(
    private by: Leading,
    private streamState: StreamState,
    private union: Union,
    net: Net,
    private say: (said: FromLeader) => void,
  ) {
    this.position = streamState.cursor;
    this.lostAt = Date.now() - streamState.lostFor;
    this.stream = new Stream(net, {
      ask: () => this.ask(),
      opened: (asked) => this.opened(asked),
      event: (name, id, data) => this.event(name, id, data),
      lost: (refused) => this.lost(refused),
      missing: (sessions) => {
        for (const session of sessions) this.deleted.add(session);
      },
    });
  }

  start(): void {
    this.broadcast();
    this.stream.join(0);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.shrinking);
    this.stream.close();
  }

  /** A message from a tab; the union has recorded it already. */
  receive(said: ToLeader): void {
    if (said.kind === 'texts') {
      this.say({ kind: 'text', by: this.by, to: said.tab, events: this.live.snapshots(said.sessions) });
      return;
    }
    if (said.kind === 'here') {
      if (said.want && said.want.gen === this.streamState.gen && said.want.after < this.position) {
        this.replay = Math.min(said.want.after, this.replay ?? this.position); // still in the server's log
        this.stream.join(gatherFor);
      }
      if (said.stir) this.reconnectIfSilent();
      if (said.ask) {
        this.checkIdle();
        this.broadcast();
      }
    }
    const wanted = this.wanted();
    if (wanted.some((session) => !this.asked.sessions.includes(session))) this.stream.join(gatherFor);
    else if (wanted.length < this.asked.sessions.length)
      this.shrinking ??= setTimeout(() => this.stream.join(0), shrinkAfter);
  }

  /** Answers a tab that follows a leader of another term. */
  assert(term: number): void {
    if (term >= this.by.term) this.by = { ...this.by, term: term + 1 };
    this.broadcast();
  }

  /** The connection may be dead without an error, e.g. after the machine slept. One that delivered something recently
   * is alive. */
  private reconnectIfSilent(): void {
    if (Date.now() - this.receivedAt > minReconnectInterval) this.stream.join(0);
  }

  /** Replaces a stream that was idle for long: EventSource does not expose heartbeats. */
  checkIdle(): void {
    if (this.streamState.connection === 'open' && Date.now() - this.receivedAt > idleAfter) this.stream.join(0);
  }

  private wanted(): string[] {
    const all = this.union.sessions(Date.now());
    for (const session of this.deleted) if (!all.includes(session)) this.deleted.delete(session);
    return all.filter((session) => !this.deleted.has(session)).slice(-maxSessions);
  }

  private ask(): Asked {
    clearTimeout(this.shrinking);
    this.shrinking = undefined;
    this.position = Math.min(this.position, this.replay ?? this.position);
    this.replay = null;
    this.asked = { sessions: this.wanted(), after: this.streamState.gen === null ? null : this.position };
    return this.asked;
  }

  private opened(asked: Asked): void {
    this.joinedAt = this.receivedAt = Date.now();
    this.live.clear(); // streaming text is sent again from its beginning
    this.setConnection('open');
    if (asked.after === null) {
      this.broadcast();
      return;
    } // a snapshot follows
    const since = Object.fromEntries(
      asked.sessions.map((session) => [session, this.streamState.since[session] ?? asked.after!]),
    );
    this.streamState = { ...this.streamState, since, join: this.newJoin() };
    this.broadcast();
  }

  private event(name: EventName, id: string, data: unknown): void {
    this.receivedAt = Date.now();
    const seq = isStored.has(name) ? Number(id) || 0 : 0;
    const event = { name, seq, data } as StreamEvent;
    if (event.name === 'reset') {
      this.streamState = { ...this.streamState, gen: null, since: {} };
      this.live.clear();
    }
    if (event.name === 'snapshot') this.begin(event.data.seq);
    const prev = this.position;
    if (seq > 0) {
      if (seq <= this.position) return;
      this.position = seq;
    }
    const live = this.live.take(event);
    if (live === 'gap') {
      // a piece was lost between the server and here
      this.stream.join(Math.max(0, this.joinedAt + minReconnectInterval - Date.now()));
      return;
    }
    for (const each of live) this.say({ kind: 'event', by: this.by, gen: this.streamState.gen, prev, event: each });
  }

  private begin(seq: number): void {
    this.position = seq;
    const join = this.newJoin();
    this.streamState = {
      ...this.streamState,
      gen: join,
      join,
      since: Object.fromEntries(this.asked.sessions.map((session) => [session, seq])),
    };
    this.broadcast();
  }

  private newJoin(): string {
    return `${this.by.tab}.${++this.joins}`;
  }

  private lost(refused: boolean): void {
    this.setConnection('lost', refused);
    this.broadcast();
  }

  private setConnection(connection: StreamState['connection'], refused = false): void {
    if (connection === 'lost' && this.streamState.connection !== 'lost') this.lostAt = Date.now();
    this.streamState = { ...this.streamState, connection, refused };
  }

  private broadcast(): void {
    if (this.stopped) return;
    const lostFor = this.streamState.connection === 'lost' ? Date.now() - this.lostAt : 0;
    this.streamState = { ...this.streamState, cursor: this.position, lostFor };
    this.say({ kind: 'lead', by: this.by, streamState: this.streamState });
  }
}
