import { Live } from './live';
import { Stream, type Asked, type Net } from './stream';
import { stored, type EventName, type StreamEvent } from './types';
import type { Union } from './union';
import type { FromLeader, Leading, Standing, ToLeader } from './wire';

const gatherFor = 30; // changes to the watched sessions within these milliseconds are applied together
const shrinkAfter = 30_000; // sessions that nobody watches stay in the stream for so long
const minReconnectInterval = 3000; // a stream that might be dead is not replaced more often
const maxSessions = 200; // sessions of one stream
const idleAfter = 120_000; // a stream without any event for so long is replaced

const isStored = new Set<EventName>(stored);

/** Holds the one stream for all tabs, and passes its events on. */
export class Leader {
  private stream: Stream;
  private live = new Live();
  private position: number; // the number of the last event
  private asked: Asked = { sessions: [], after: null };
  private joinedAt = 0;
  private heardAt = 0;
  private lostAt: number;
  private replay: number | null = null; // a tab missed what came after it
  private deleted = new Set<string>(); // sessions that are deleted: the server refuses a stream with them
  private shrinking: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;
  private joins = Date.now();

  constructor(
    private by: Leading,
    private stands: Standing,
    private union: Union,
    net: Net,
    private say: (said: FromLeader) => void,
  ) {
    this.position = stands.cursor;
    this.lostAt = Date.now() - stands.lostFor;
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

  /** A message from a tab; the union has noted it already. */
  hear(said: ToLeader): void {
    if (said.kind === 'texts') {
      this.say({ kind: 'text', by: this.by, to: said.tab, events: this.live.snapshots(said.sessions) });
      return;
    }
    if (said.kind === 'here') {
      if (said.want && said.want.gen === this.stands.gen && said.want.after < this.position) {
        this.replay = Math.min(said.want.after, this.replay ?? this.position); // the server's log has it still
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

  /** Answers a tab that follows another leader, of that term. */
  assert(term: number): void {
    if (term >= this.by.term) this.by = { ...this.by, term: term + 1 };
    this.broadcast();
  }

  /** The connection may be dead without an error, e.g. after a laptop's sleep. One that
   * brought something just now is not. */
  private reconnectIfSilent(): void {
    if (Date.now() - this.heardAt > minReconnectInterval) this.stream.join(0);
  }

  /** Replaces a stream that is idle for long: EventSource does not show the heartbeats. */
  checkIdle(): void {
    if (this.stands.connection === 'open' && Date.now() - this.heardAt > idleAfter) this.stream.join(0);
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
    this.asked = { sessions: this.wanted(), after: this.stands.gen === null ? null : this.position };
    return this.asked;
  }

  private opened(asked: Asked): void {
    this.joinedAt = this.heardAt = Date.now();
    this.live.clear(); // what streams comes again, whole
    this.setConnection('open');
    if (asked.after === null) {
      this.broadcast();
      return;
    } // a snapshot follows
    const since = Object.fromEntries(
      asked.sessions.map((session) => [session, this.stands.since[session] ?? asked.after!]),
    );
    this.stands = { ...this.stands, since, join: this.newJoin() };
    this.broadcast();
  }

  private event(name: EventName, id: string, data: unknown): void {
    this.heardAt = Date.now();
    const seq = isStored.has(name) ? Number(id) || 0 : 0;
    const event = { name, seq, data } as StreamEvent;
    if (event.name === 'reset') {
      this.stands = { ...this.stands, gen: null, since: {} };
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
    for (const each of live) this.say({ kind: 'event', by: this.by, gen: this.stands.gen, prev, event: each });
  }

  private begin(seq: number): void {
    this.position = seq;
    const join = this.newJoin();
    this.stands = {
      ...this.stands,
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

  private setConnection(connection: Standing['connection'], refused = false): void {
    if (connection === 'lost' && this.stands.connection !== 'lost') this.lostAt = Date.now();
    this.stands = { ...this.stands, connection, refused };
  }

  private broadcast(): void {
    if (this.stopped) return;
    const lostFor = this.stands.connection === 'lost' ? Date.now() - this.lostAt : 0;
    this.stands = { ...this.stands, cursor: this.position, lostFor };
    this.say({ kind: 'lead', by: this.by, stands: this.stands });
  }
}
