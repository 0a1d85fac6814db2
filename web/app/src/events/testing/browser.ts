// A browser for tests: channels between tabs, locks, and tabs that close, crash and freeze.
import { Tab } from '../tab';
import type { StreamEvent } from '../types';
import type { FakeServer } from './server';

type Listener = (event: { data: unknown }) => void;

/** Messages between two tabs are delayed, but stay in order. */
class FakeChannel {
  listener: Listener | null = null;
  private arrives = new Map<FakeChannel, number>();
  constructor(
    private hub: FakeBrowser,
    readonly name: string,
    readonly owner: FakeTab,
  ) {}
  addEventListener(_: string, listener: Listener) {
    this.listener = listener;
  }
  close() {
    this.hub.channels.delete(this);
  }

  postMessage(data: unknown) {
    if (this.owner.dead || this.owner.frozen) return; // its code would not run
    for (const other of this.hub.channels) {
      if (other === this || other.name !== this.name || this.hub.loses(data)) continue;
      const copy = structuredClone(data);
      const at = Math.max(
        this.arrives.get(other) ?? 0,
        Date.now() + Math.floor(this.hub.server.random() * this.hub.delay),
      );
      this.arrives.set(other, at);
      setTimeout(
        () =>
          other.owner.receives(() => {
            if (this.hub.channels.has(other)) other.listener?.({ data: copy });
          }),
        at - Date.now(),
      );
    }
  }
}

interface Waiting {
  hold: () => Promise<void> | undefined;
  reject: (reason: Error) => void;
  owner: FakeTab;
}

class FakeLocks {
  private held = new Map<string, Waiting>();
  private queues = new Map<string, Waiting[]>();

  of(owner: FakeTab): Pick<LockManager, 'request'> {
    const request = (name: string, options: LockOptions, hold: () => Promise<void> | undefined) =>
      new Promise<void>((_, reject) => {
        const waiting: Waiting = { hold, reject, owner };
        if (owner.dead) return;
        if (owner.frozen) {
          owner.later(() => reject(new Error('it was frozen')));
          return;
        }
        const queue = this.queues.get(name) ?? [];
        this.queues.set(name, queue);
        if (options.steal) {
          this.held.get(name)?.reject(new Error('AbortError'));
          this.held.delete(name);
          queue.unshift(waiting);
        } else queue.push(waiting);
        options.signal?.addEventListener('abort', () => {
          const i = queue.indexOf(waiting);
          if (i >= 0) {
            queue.splice(i, 1);
            reject(new Error('AbortError'));
          }
        });
        queueMicrotask(() => this.grant(name));
      });
    return { request } as unknown as Pick<LockManager, 'request'>;
  }

  private grant(name: string) {
    if (this.held.has(name)) return;
    const next = this.queues.get(name)?.shift();
    if (!next) return;
    this.held.set(name, next);
    void Promise.resolve(next.hold()).then(() => this.free(name, next));
  }

  private free(name: string, was: Waiting) {
    if (this.held.get(name) !== was) return;
    this.held.delete(name);
    this.grant(name);
  }

  drop(owner: FakeTab) {
    for (const queue of this.queues.values())
      for (let i = queue.length - 1; i >= 0; i--) if (queue[i]!.owner === owner) queue.splice(i, 1);
    for (const [name, was] of this.held) if (was.owner === owner) this.free(name, was);
  }
}

export interface Options {
  locks?: boolean;
  channel?: boolean;
  key?: () => string | null;
}

export class FakeBrowser {
  channels = new Set<FakeChannel>();
  locks = new FakeLocks();
  tabs: FakeTab[] = [];
  delay = 5; // the maximum delay of a message between tabs, in milliseconds
  loses: (said: unknown) => boolean = () => false; // messages that are lost
  private ids = 0;
  constructor(
    readonly server: FakeServer,
    readonly options: Options = { locks: true },
  ) {}

  open(options: Options = {}): FakeTab {
    const tab = new FakeTab(this, `${Math.floor(this.server.random() * 1e9)}-${this.ids++}`, {
      ...this.options,
      ...options,
    });
    this.tabs.push(tab);
    tab.client.enter();
    return tab;
  }

  channel(name: string, owner: FakeTab): BroadcastChannel {
    const channel = new FakeChannel(this, name, owner);
    this.channels.add(channel);
    return channel as unknown as BroadcastChannel;
  }

  get leaders(): FakeTab[] {
    return this.tabs.filter((tab) => !tab.dead && tab.client.leads);
  }
}

export class FakeTab {
  dead = false;
  hidden = false;
  frozen = false;
  readonly client: Tab;
  readonly events: StreamEvent[] = [];
  readonly opens: { continued: boolean; of?: readonly string[]; at: number }[] = []; // at: the number of events received before
  private held: (() => void)[] = [];

  constructor(
    private browser: FakeBrowser,
    id: string,
    options: Options,
  ) {
    this.client = new Tab({
      net: browser.server.net(() => this.dead || this.frozen),
      channel: options.channel === false ? null : (name) => browser.channel(name, this),
      locks: options.locks ? browser.locks.of(this) : null,
      key: options.key ?? (() => null),
      hidden: () => this.hidden,
      newID: () => id,
    });
    this.client.subscribe((event) => {
      if (!this.dead) this.events.push(event);
    });
    this.client.onOpen((continued, of) => {
      if (!this.dead) this.opens.push({ continued, of, at: this.events.length });
    });
  }

  wake() {
    this.frozen = false;
    for (const message of this.held.splice(0)) message();
  }

  later(what: () => void) {
    this.held.push(what);
  }

  receives(message: () => void) {
    if (this.dead) return;
    if (this.frozen) this.later(message);
    else message();
  }

  close() {
    this.client.leave();
    this.dead = true;
    this.browser.locks.drop(this);
  }

  /** It crashes without a message, and its connection is closed. */
  crash() {
    const led = this.client.leads;
    this.dead = true;
    for (const channel of this.browser.channels) if (channel.owner === this) channel.close();
    this.browser.locks.drop(this);
    if (led) this.browser.server.cut();
  }

  /** The seqs of the received stored events. */
  get seqs(): number[] {
    return this.events.filter((event) => event.seq > 0).map((event) => event.seq);
  }

  /** The text of a message as a screen that joins deltas would show it, if it subscribed after that many events. */
  shown(message: string, since = 0): string | null {
    let text: string | null = null;
    for (const { name, data } of this.events.slice(since)) {
      const d = data as { message_id?: string; text?: string; offset?: number; message?: { id: string; text: string } };
      if (d?.message_id === message && name === 'message.snapshot') text = d.text!;
      if (d?.message_id === message && name === 'message.discarded') text = null;
      if (d?.message_id === message && name === 'message.delta') {
        if ([...(text ?? '')].length !== d.offset)
          throw new Error(`a piece at ${d.offset} after ${[...(text ?? '')].length} characters`);
        text = (text ?? '') + d.text;
      }
      if (name === 'message.created' && d.message?.id === message) text = d.message.text;
    }
    return text;
  }
}
