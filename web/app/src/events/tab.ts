import { Delivery, type Missing } from './delivery';
import { Alone, ByClaim, ByLock, type Election } from './election';
import { KnownLeader } from './knownLeader';
import { Leader } from './leader';
import { Listeners } from './listeners';
import type { Net } from './stream';
import { TabClock } from './tabClock';
import type { Connection, EventClient, Opened, StreamEvent } from './types';
import { Union } from './union';
import { Watches } from './watches';
import {
  channelName,
  outranks,
  type FromLeader,
  type Leading,
  type TabMessage,
  type StreamState,
  type ToLeader,
} from './wire';

/** The parts of the browser that a tab needs. */
export interface Environment {
  net: Net;
  channel: ((name: string) => BroadcastChannel) | null;
  locks: Pick<LockManager, 'request'> | null;
  key(): string | null;
  hidden(): boolean;
  newID(): string;
}

const askAgainAfter = 2000; // milliseconds to wait for requested events
const textTimeout = 3000; // milliseconds after a connection within which an answer must stream again
const unwatchAfter = 1000; // milliseconds: usually another screen soon watches the same session

/** A tab: follows the leader, and leads itself once it is elected. */
export class Tab implements EventClient {
  readonly id: string;
  private openers = new Listeners<Parameters<Opened>>();
  private connections = new Listeners<[]>();
  private watches = new Watches();
  private delivery = new Delivery(this.watches);
  private union = new Union();
  private clock = new TabClock();
  private known = new KnownLeader();
  private channel: BroadcastChannel | null = null;
  private election: Election | null = null; // null: this tab has left, or is in the back/forward cache
  private leader: Leader | null = null; // this tab leads
  private missedAskedAt = -Infinity;

  constructor(private environment: Environment) {
    this.id = environment.newID();
  }

  subscribe(handler: (event: StreamEvent) => void) {
    return this.delivery.listeners.add(handler);
  }
  onOpen(handler: Opened) {
    return this.openers.add(handler);
  }
  onConnection(handler: () => void) {
    return this.connections.add(handler);
  }
  connection(): Connection {
    return this.known.connection;
  }

  watch(session: string) {
    const first = this.watches.add(session);
    if (first) this.clock.announcement.reschedule(0, () => this.announce());
    const since = this.known.since(session);
    if (since !== undefined) {
      if (first) this.delivery.adopt(session, since);
      this.resync();
    }
    let over = false;
    return () => {
      if (over) return;
      over = true;
      if (!this.watches.remove(session)) return;
      this.delivery.forget(session);
      this.clock.announcement.schedule(unwatchAfter, () => this.announce());
    };
  }

  resync() {
    this.clock.resync.schedule(0, () => {
      if (this.watches.size) this.send({ kind: 'texts', tab: this.id, sessions: this.watches.sessions });
    });
  }

  /** The tab enters, or returns. */
  enter(): void {
    if (this.election) return;
    const name = channelName(this.environment.key());
    this.union = new Union();
    this.known.enter();
    if (this.environment.channel) this.listen(this.environment.channel(name));
    this.election = this.elect(name);
    this.announce({ ask: true });
    this.election.enter();
    this.clock.start(() => this.look());
    this.resync(); // text that streamed while it was away
  }

  private listen(channel: BroadcastChannel): void {
    this.channel = channel;
    channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
      if (channel === this.channel) this.receive(data);
    });
  }

  private elect(name: string): Election {
    const { environment } = this;
    const elected = { won: () => this.won(), lost: () => this.stopLeading() };
    if (!this.channel) return new Alone(elected);
    if (environment.locks) return new ByLock(environment.locks, name, elected);
    return new ByClaim({
      ...elected,
      tab: this.id,
      hidden: () => environment.hidden(),
      random: () => environment.net.random(),
      term: () => this.known.by?.term ?? 0,
      claim: (term) => this.send({ kind: 'claim', term, tab: this.id, hidden: environment.hidden() }),
    });
  }

  /** The tab leaves, and may return. */
  leave(): void {
    if (!this.election) return;
    this.stopLeading();
    this.send({ kind: 'gone', tab: this.id });
    this.election.leave();
    this.election = null;
    this.channel?.close();
    this.channel = null;
    this.clock.stop();
  }

  /** The key changed: restarts. */
  restart(): void {
    this.leave();
    this.delivery.reset();
    this.known.forget();
    this.connections.notify();
    this.enter();
  }

  /** The network is back, the page is visible again, or the clock jumped: the connection may be dead. */
  checkConnection(): void {
    this.announce({ ask: true, stir: true });
  }

  /** The sizes of what is held in memory, for tests. */
  get load() {
    const listeners = this.delivery.listeners.size + this.openers.size + this.connections.size;
    return { listeners, watched: this.watches.size, texts: this.delivery.texts };
  }
  get leads(): boolean {
    return this.leader !== null;
  }

  // ---- between tabs ------------------------------------------------------------------

  /** To all tabs, this one included. */
  private send(said: TabMessage): void {
    if (!this.election) return;
    this.channel?.postMessage(said);
    this.receive(said);
  }

  private announce(more: Partial<ToLeader & { kind: 'here' }> = {}): void {
    this.clock.announced();
    this.send({ kind: 'here', tab: this.id, by: this.known.by, watches: this.watches.sessions, ...more });
  }

  private receive(said: TabMessage): void {
    switch (said.kind) {
      case 'here':
        this.union.note(said.tab, said.watches, Date.now());
        if (this.leader && said.by && said.by.tab !== this.id && outranks(said.by, this.known.by!))
          this.onRival(said.by);
        this.leader?.receive(said);
        break;
      case 'gone':
        this.union.drop(said.tab);
        this.leader?.receive(said);
        if (said.tab === this.known.by?.tab && said.tab !== this.id) this.election?.leaderLeft();
        break;
      case 'texts':
        this.leader?.receive(said);
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

  /** Only one leader is accepted, even while two tabs believe that they lead. */
  private accepts({ by, kind }: FromLeader): boolean {
    const own = by.tab === this.id;
    if (!own) {
      const current = this.known.by;
      if (this.leader && (this.election?.exclusive || outranks(current!, by))) {
        if (kind === 'lead') this.leader.assert(by.term);
        return false;
      }
      if (!this.leader && current && outranks(current, by)) {
        if (kind === 'lead') this.announce(); // so that it learns which leader this tab follows
        return false;
      }
      if (this.leader) this.stopLeading();
      this.election?.otherLeads();
    }
    const other = this.known.noteLeader(by);
    if (other && !own) this.announce();
    return true;
  }

  // ---- leading -----------------------------------------------------------------------

  private won(): void {
    if (this.leader || !this.election) return;
    const streamState = this.known.inherited(this.delivery.position);
    const by = { term: (this.known.by?.term ?? 0) + 1, tab: this.id };
    this.known.by = by;
    this.union.note(this.id, this.watches.sessions, Date.now());
    this.leader = new Leader(by, streamState, this.union, this.environment.net, (said) => this.send(said));
    this.leader.start();
  }

  /** Another tab follows a leader with a higher term. Without locks this tab claims a still higher one once: two that
   * answered each other with ever higher terms would never stop. */
  private onRival(by: Leading): void {
    if (this.election?.exclusive) {
      this.leader!.assert(by.term);
      return;
    }
    this.known.by = by;
    this.stopLeading();
    this.election?.leaderLeft();
  }

  private stopLeading(): void {
    this.leader?.stop();
    this.leader = null;
  }

  // ---- what the leader says ----------------------------------------------------------

  private take(said: FromLeader): void {
    switch (said.kind) {
      case 'lead':
        this.follow(said.streamState);
        break;
      case 'event':
        this.askFor(this.delivery.receive(said));
        break;
      case 'text':
        if (said.to === this.id) for (const event of said.events) this.askFor(this.delivery.pass(event));
        break;
    }
  }

  /** Compares this tab's position with the state of the leader's stream. */
  private follow(streamState: StreamState): void {
    const { joined, changed } = this.known.update(streamState);
    if (changed) this.connections.notify();
    if (streamState.gen === null) return;
    const { restarted, behind, fresh } = this.delivery.compare(streamState);
    if (behind) this.askFor('events');
    if (restarted || joined) this.expireTexts();
    if (restarted && streamState.connection === 'open') this.resync(); // text that already streams in sessions that other tabs follow
    if (restarted) this.openers.notify(false);
    else if (fresh.length) this.openers.notify(false, fresh);
    else if (joined) this.openers.notify(true);
  }

  private expireTexts(): void {
    this.delivery.expireTexts();
    this.clock.textCheck.reschedule(textTimeout, () => {
      if (this.known.connection.state === 'open') this.delivery.discardUnconfirmed(); // otherwise checked after the next connection
    });
  }

  /** Requests missed events: they are replayed, or everything is read again. */
  private askFor(missing: Missing): void {
    if (missing === 'text') this.resync();
    if (missing !== 'events' || Date.now() - this.missedAskedAt < askAgainAfter) return;
    this.missedAskedAt = Date.now();
    const { gen, at } = this.delivery.position;
    this.announce(gen === null ? { ask: true } : { ask: true, want: { gen, after: at } });
  }

  /** Runs periodically. */
  private look(): void {
    const hidden = this.environment.hidden();
    if (this.clock.jumped(hidden)) {
      this.checkConnection();
      return;
    }
    this.leader?.checkIdle();
    if (this.clock.announcementDue) this.announce();
    if (this.leader || !this.channel) return;
    const due = this.known.overdue(hidden);
    if (due === 'ask') this.announce({ ask: true });
    else if (due === 'replace') this.election?.takeOver();
  }
}
