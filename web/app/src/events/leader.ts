import { Live } from './live';
import { Stream, type Asked, type Net } from './stream';
import { stored, type EventName, type StreamEvent } from './types';
import type { Union } from './union';
import type { FromLeader, Leading, Standing, ToLeader } from './wire';

const gather = 30; // milliseconds in which changes of what is watched are gathered
const shrink = 30_000; // what nobody watches any more may stay for so long
const eager = 3000; // no stream is made anew more often than this for a mere suspicion
const most = 200; // sessions of one stream
const idle = 120_000; // after so long without a word a stream that somebody looks at is made anew

const isStored = new Set<EventName>(stored);

/** Holds the stream for all tabs, and passes on what comes. */
export class Leader {
  private stream: Stream;
  private live = new Live();
  private pos: number; // everything up to here came
  private asked: Asked = { sessions: [], after: null };
  private joinedAt = 0;
  private heardAt = 0;
  private lostAt: number;
  private replay: number | null = null; // a tab missed what came after it
  private gone = new Set<string>(); // sessions that are deleted: the server refuses a stream with them
  private shrinking: ReturnType<typeof setTimeout> | undefined;
  private over = false;
  private joins = Date.now();

  constructor(
    private by: Leading,
    private stands: Standing,
    private union: Union,
    net: Net,
    private say: (said: FromLeader) => void,
  ) {
    this.pos = stands.cursor;
    this.lostAt = Date.now() - stands.lostFor;
    this.stream = new Stream(net, {
      ask: () => this.ask(),
      opened: (asked) => this.opened(asked),
      event: (name, id, data) => this.event(name, id, data),
      lost: (refused) => this.lost(refused),
      missing: (sessions) => {
        for (const session of sessions) this.gone.add(session);
      },
    });
  }

  start(): void {
    this.lead();
    this.stream.join(0);
  }

  stop(): void {
    this.over = true;
    clearTimeout(this.shrinking);
    this.stream.close();
  }

  /** A tab said something; the union has it already. */
  hear(said: ToLeader): void {
    if (said.kind === 'texts') {
      this.say({ kind: 'text', by: this.by, to: said.tab, events: this.live.snapshots(said.sessions) });
      return;
    }
    if (said.kind === 'here') {
      if (said.want && said.want.gen === this.stands.gen && said.want.after < this.pos) {
        this.replay = Math.min(said.want.after, this.replay ?? this.pos); // the server's log has it still
        this.stream.join(gather);
      }
      if (said.stir) this.stir();
      if (said.ask) {
        this.tick();
        this.lead();
      }
    }
    const wanted = this.wanted();
    if (wanted.some((session) => !this.asked.sessions.includes(session))) this.stream.join(gather);
    else if (wanted.length < this.asked.sessions.length)
      this.shrinking ??= setTimeout(() => this.stream.join(0), shrink);
  }

  /** Answers who takes another for the leader. `term` is that one's. */
  assert(term: number): void {
    if (term >= this.by.term) this.by = { ...this.by, term: term + 1 };
    this.lead();
  }

  /** The connection may be dead without an error, e.g. after a laptop's sleep. One that
   * brought something just now is not. */
  private stir(): void {
    if (Date.now() - this.heardAt > eager) this.stream.join(0);
  }

  /** Now and then: EventSource does not show the server's signs of life. */
  tick(): void {
    if (this.stands.connection === 'open' && Date.now() - this.heardAt > idle) this.stream.join(0);
  }

  private wanted(): string[] {
    const all = this.union.sessions(Date.now());
    for (const session of this.gone) if (!all.includes(session)) this.gone.delete(session);
    return all.filter((session) => !this.gone.has(session)).slice(-most);
  }

  private ask(): Asked {
    clearTimeout(this.shrinking);
    this.shrinking = undefined;
    this.pos = Math.min(this.pos, this.replay ?? this.pos);
    this.replay = null;
    this.asked = { sessions: this.wanted(), after: this.stands.gen === null ? null : this.pos };
    return this.asked;
  }

  private opened(asked: Asked): void {
    this.joinedAt = this.heardAt = Date.now();
    this.live.clear(); // what streams comes again, whole
    this.be('open');
    if (asked.after === null) {
      this.lead();
      return;
    } // a snapshot follows
    const since = Object.fromEntries(
      asked.sessions.map((session) => [session, this.stands.since[session] ?? asked.after!]),
    );
    this.stands = { ...this.stands, since, join: this.newJoin() };
    this.lead();
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
    const prev = this.pos;
    if (seq > 0) {
      if (seq <= this.pos) return;
      this.pos = seq;
    }
    const live = this.live.take(event);
    if (live === 'gap') {
      // a piece was lost between the server and here
      this.stream.join(Math.max(0, this.joinedAt + eager - Date.now()));
      return;
    }
    for (const each of live) this.say({ kind: 'event', by: this.by, gen: this.stands.gen, prev, event: each });
  }

  private begin(seq: number): void {
    this.pos = seq;
    const join = this.newJoin();
    this.stands = {
      ...this.stands,
      gen: join,
      join,
      since: Object.fromEntries(this.asked.sessions.map((session) => [session, seq])),
    };
    this.lead();
  }

  private newJoin(): string {
    return `${this.by.tab}.${++this.joins}`;
  }

  private lost(refused: boolean): void {
    this.be('lost', refused);
    this.lead();
  }

  private be(connection: Standing['connection'], refused = false): void {
    if (connection === 'lost' && this.stands.connection !== 'lost') this.lostAt = Date.now();
    this.stands = { ...this.stands, connection, refused };
  }

  private lead(): void {
    if (this.over) return;
    const lostFor = this.stands.connection === 'lost' ? Date.now() - this.lostAt : 0;
    this.stands = { ...this.stands, cursor: this.pos, lostFor };
    this.say({ kind: 'lead', by: this.by, stands: this.stands });
  }
}
