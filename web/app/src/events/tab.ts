import { Cursor } from './cursor';
import { Alone, ByClaim, ByLock, type Election } from './election';
import { Leader } from './leader';
import { Listeners } from './listeners';
import { Live, sessionOf } from './live';
import type { Net } from './stream';
import type { Connection, EventClient, Opened, StreamEvent } from './types';
import { Union } from './union';
import {
  meeting,
  outranks,
  same,
  type FromLeader,
  type Leading,
  type Said,
  type Standing,
  type ToLeader,
} from './wire';

/** What a tab needs of its browser. */
export interface World {
  net: Net;
  channel: ((name: string) => BroadcastChannel) | null;
  locks: Pick<LockManager, 'request'> | null;
  key(): string | null;
  hidden(): boolean;
  newID(): string;
}

const beat = 2000; // how often a tab looks around
const present = 20_000; // how often it says that it is there
const quiet = 4000; // after so long without a word it asks whether the leader is there
const patience = 4000; // so long the leader has to answer
const doubtful = 3000; // so long after a connection an answer has to show itself again

/** A tab: hears what the leader passes on, and leads when it is its turn. */
export class Tab implements EventClient {
  readonly id: string;
  private handlers = new Listeners<[StreamEvent]>();
  private openers = new Listeners<Parameters<Opened>>();
  private changed = new Listeners<[]>();
  private watched = new Map<string, number>();
  private union = new Union();
  private cursor = new Cursor();
  private live = new Live();
  private channel: BroadcastChannel | null = null;
  private election: Election | null = null; // null: this tab is not there (left, or in the cache of pages)
  private leader: Leader | null = null;
  private by: Leading | null = null; // whoever leads, as far as this tab knows
  private stands: Standing | null = null;
  private now: Connection = { state: 'connecting' };
  private heardAt = 0;
  private askedAt: number | null = null;
  private wantedAt = -Infinity;
  private saidAt = 0;
  private lookedAt = 0;
  private ticking: ReturnType<typeof setInterval> | undefined;
  private telling: ReturnType<typeof setTimeout> | undefined;
  private texting: ReturnType<typeof setTimeout> | undefined;
  private doubting: ReturnType<typeof setTimeout> | undefined;

  constructor(private world: World) {
    this.id = world.newID();
  }

  subscribe(handler: (event: StreamEvent) => void) {
    return this.handlers.add(handler);
  }
  onOpen(handler: Opened) {
    return this.openers.add(handler);
  }
  onConnection(handler: () => void) {
    return this.changed.add(handler);
  }
  connection() {
    return this.now;
  }

  watch(session: string) {
    const count = this.watched.get(session) ?? 0;
    this.watched.set(session, count + 1);
    if (count === 0) this.tellWatches(0);
    if (this.stands?.since[session] !== undefined) {
      if (count === 0) this.cursor.adopt(session, this.stands.since[session]);
      this.resync();
    }
    let over = false;
    return () => {
      if (over) return;
      over = true;
      const left = this.watched.get(session)! - 1;
      if (left > 0) {
        this.watched.set(session, left);
        return;
      }
      this.watched.delete(session);
      this.live.forget(session);
      this.cursor.forget(session);
      this.tellWatches(1000); // mostly another screen watches it again at once
    };
  }

  resync() {
    this.texting ??= setTimeout(() => {
      this.texting = undefined;
      if (this.watched.size) this.say({ kind: 'texts', tab: this.id, sessions: [...this.watched.keys()] });
    }, 0);
  }

  /** The tab is there (again). */
  enter(): void {
    if (this.election) return;
    const name = meeting(this.world.key());
    this.union = new Union();
    this.heardAt = this.lookedAt = Date.now();
    this.askedAt = null;
    if (this.world.channel) {
      const channel = (this.channel = this.world.channel(name));
      channel.addEventListener('message', ({ data }: MessageEvent<Said>) => {
        if (channel === this.channel) this.hear(data);
      });
    }
    this.election = this.elect(name);
    this.here({ ask: true });
    this.election.enter();
    this.ticking = setInterval(() => this.look(), beat);
    this.resync(); // what streamed while it was away
  }

  private elect(name: string): Election {
    const elected = { won: () => this.won(), lost: () => this.lost() };
    if (!this.channel) return new Alone(elected);
    if (this.world.locks) return new ByLock(this.world.locks, name, elected);
    return new ByClaim({
      ...elected,
      tab: this.id,
      hidden: () => this.world.hidden(),
      random: () => this.world.net.random(),
      term: () => this.by?.term ?? 0,
      claim: (term) => this.say({ kind: 'claim', term, tab: this.id, hidden: this.world.hidden() }),
    });
  }

  /** The tab goes, perhaps to come back. */
  leave(): void {
    if (!this.election) return;
    this.lost();
    this.say({ kind: 'gone', tab: this.id });
    this.election.leave();
    this.election = null;
    this.channel?.close();
    this.channel = null;
    clearInterval(this.ticking);
    for (const timer of [this.telling, this.texting, this.doubting]) clearTimeout(timer);
    this.telling = this.texting = this.doubting = undefined;
  }

  /** The key is another one: nothing of what was is of use. */
  restart(): void {
    this.leave();
    this.by = this.stands = null;
    this.cursor = new Cursor();
    this.live.clear();
    this.be({ state: 'connecting' });
    this.enter();
  }

  /** The network is back, the page is looked at again, the clock jumped. */
  stir(): void {
    this.here({ ask: true, stir: true });
  }

  /** What is held in memory, so that tests see that nothing stays. */
  get load() {
    return {
      listeners: this.handlers.size + this.openers.size + this.changed.size,
      watched: this.watched.size,
      texts: this.live.size,
    };
  }
  get leads(): boolean {
    return this.leader !== null;
  }

  // ---- what is said ------------------------------------------------------------------

  private say(said: Said): void {
    if (!this.election) return;
    this.channel?.postMessage(said);
    this.hear(said);
  }

  private here(more: Partial<ToLeader & { kind: 'here' }> = {}): void {
    this.saidAt = Date.now();
    this.say({ kind: 'here', tab: this.id, by: this.by, watches: [...this.watched.keys()], ...more });
  }

  private tellWatches(delay: number): void {
    if (delay === 0) clearTimeout(this.telling);
    else if (this.telling !== undefined) return;
    this.telling = setTimeout(() => {
      this.telling = undefined;
      this.here();
    }, delay);
  }

  private hear(said: Said): void {
    switch (said.kind) {
      case 'here':
        this.union.note(said.tab, said.watches, Date.now());
        if (this.leader && said.by && said.by.tab !== this.id && outranks(said.by, this.by!)) this.doubted(said.by);
        this.leader?.hear(said);
        break;
      case 'gone':
        this.union.drop(said.tab);
        this.leader?.hear(said);
        if (said.tab === this.by?.tab && said.tab !== this.id) this.election?.vacant();
        break;
      case 'texts':
        this.leader?.hear(said);
        break;
      case 'claim':
        if (said.tab === this.id) break;
        if (this.leader) this.leader.assert(said.term);
        else this.election?.claimed(said.term, said.tab, said.hidden);
        break;
      default:
        if (this.accepts(said)) this.take(said);
    }
  }

  /** Only one leader is listened to, also while two believe that they lead. */
  private accepts({ by, kind }: FromLeader): boolean {
    if (by.tab !== this.id) {
      if (this.leader && (this.election?.sovereign || outranks(this.by!, by))) {
        if (kind === 'lead') this.leader.assert(by.term);
        return false;
      }
      if (!this.leader && this.by && outranks(this.by, by)) {
        if (kind === 'lead') this.here(); // it hears so of whom this tab listens to
        return false;
      }
      if (this.leader) this.lost();
      this.election?.led();
    }
    const other = this.by?.tab !== by.tab;
    if (!same(this.by, by)) this.by = by;
    this.heardAt = Date.now();
    this.askedAt = null;
    if (other && by.tab !== this.id) this.here();
    return true;
  }

  // ---- leading -----------------------------------------------------------------------

  private won(): void {
    if (this.leader || !this.election) return;
    const lostFor = this.now.state === 'lost' ? performance.now() - this.now.since : 0;
    const stands: Standing = {
      gen: this.cursor.gen,
      cursor: this.cursor.at,
      since: this.stands?.since ?? {},
      join: this.stands?.join ?? '',
      connection: this.now.state,
      lostFor,
      refused: false,
    };
    this.by = { term: (this.by?.term ?? 0) + 1, tab: this.id };
    this.union.note(this.id, [...this.watched.keys()], Date.now());
    this.leader = new Leader(this.by, stands, this.union, this.world.net, (said) => this.say(said));
    this.leader.start();
  }

  /** A tab listens to another leader, of a higher term. Without locks it is asked for: two
   * that answered each other with ever higher terms would not come to an end. */
  private doubted(by: Leading): void {
    if (this.election?.sovereign) {
      this.leader!.assert(by.term);
      return;
    }
    this.by = by;
    this.lost();
    this.election?.vacant();
  }

  private lost(): void {
    this.leader?.stop();
    this.leader = null;
  }

  // ---- what the leader says ----------------------------------------------------------

  private take(said: FromLeader): void {
    switch (said.kind) {
      case 'lead':
        this.stand(said.stands);
        break;
      case 'event':
        this.event(said);
        break;
      case 'text':
        if (said.to === this.id) for (const event of said.events) this.pass(event);
        break;
    }
  }

  private stand(stands: Standing): void {
    const joined = stands.gen !== null && stands.join !== this.stands?.join;
    this.stands = stands;
    if (stands.connection === 'lost') {
      if (this.now.state !== 'lost' || stands.refused !== (this.now.refused ?? false))
        this.be({ state: 'lost', since: performance.now() - stands.lostFor, refused: stands.refused });
    } else if (stands.connection !== this.now.state) this.be({ state: stands.connection });
    if (stands.gen === null) return;
    const { anew, behind, fresh } = this.cursor.compare(stands, [...this.watched.keys()]);
    if (behind) this.want();
    if (anew || joined) this.doubt();
    if (anew && stands.connection === 'open') this.resync(); // what streams already in sessions that others follow
    if (anew) this.openers.tell(false);
    else if (fresh.length) this.openers.tell(false, fresh);
    else if (joined) this.openers.tell(true);
  }

  private doubt(): void {
    this.live.doubt();
    clearTimeout(this.doubting);
    this.doubting = setTimeout(() => {
      if (this.now.state !== 'open') return; // the next connection shows it
      for (const event of this.live.settleDoubts()) this.handlers.tell(event);
    }, doubtful);
  }

  private event({ gen, prev, event }: FromLeader & { kind: 'event' }): void {
    if (event.seq === 0) {
      this.pass(event);
      return;
    }
    switch (this.cursor.judge(gen, prev, event.seq)) {
      case 'next':
        this.pass(event);
        break;
      case 'gap':
        this.want();
        break;
      case 'old':
        break;
    }
  }

  /** Hands an event to those who listen. */
  private pass(event: StreamEvent): void {
    const session = event.name.startsWith('message.') ? sessionOf(event) : null;
    if (session === null || !this.watched.has(session)) {
      if (session === null || event.seq > 0) this.handlers.tell(event); // text that streams is for those who asked
      return;
    }
    const live = this.live.take(event);
    if (live === 'gap') this.resync();
    else for (const each of live) this.handlers.tell(each);
  }

  /** Something was missed: it is sent again, or everything is read again. */
  private want(): void {
    if (Date.now() - this.wantedAt < 2000) return; // it is on its way
    this.wantedAt = Date.now();
    this.here(
      this.cursor.gen === null ? { ask: true } : { ask: true, want: { gen: this.cursor.gen, after: this.cursor.at } },
    );
  }

  private be(next: Connection): void {
    this.now = next;
    this.changed.tell();
  }

  /** Every now and then. Timers may stop for long: a jump of the clock was a sleep. */
  private look(): void {
    const now = Date.now();
    const jumped = now - this.lookedAt > (this.world.hidden() ? 90_000 : 20_000);
    this.lookedAt = now;
    if (jumped) {
      this.stir();
      return;
    }
    this.leader?.tick();
    if (now - this.saidAt > present) this.here();
    if (this.leader || !this.channel) return;
    if (this.askedAt !== null) {
      if (now - this.askedAt >= patience) this.election?.takeOver();
    } else if (now - this.heardAt > (this.world.hidden() ? 5 * quiet : quiet)) {
      this.askedAt = now;
      this.here({ ask: true });
    }
  }
}
