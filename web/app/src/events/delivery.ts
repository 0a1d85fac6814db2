import { Cursor } from './cursor';
import { Listeners } from './listeners';
import { Live, sessionOf } from './live';
import type { StreamEvent } from './types';
import type { Watches } from './watches';
import type { FromLeader, StreamState } from './wire';

/** What is missing before an event: stored events, or streamed text. */
export type Missing = 'events' | 'text' | null;

/** Delivers the events of the stream to the screens of a tab: each stored event once and in order, streamed text
 * without a gap. */
export class Delivery {
  readonly listeners = new Listeners<[StreamEvent]>();
  private cursor = new Cursor();
  private live = new Live();

  constructor(private watches: Watches) {}

  /** The tab's position in the chain of stored events. */
  get position(): { gen: string | null; at: number } {
    return this.cursor;
  }

  /** The number of answers that are streaming. */
  get texts(): number {
    return this.live.size;
  }

  compare(streamState: StreamState): ReturnType<Cursor['compare']> {
    return this.cursor.compare(streamState, this.watches.sessions);
  }

  /** A session that is already followed is now watched here too. */
  adopt(session: string, since: number): void {
    this.cursor.adopt(session, since);
  }

  /** No screen watches the session any more. */
  forget(session: string): void {
    this.live.forget(session);
    this.cursor.forget(session);
  }

  /** Drops all state. */
  reset(): void {
    this.cursor = new Cursor();
    this.live.clear();
  }

  /** Takes an event from the leader. */
  receive({ gen, prev, event }: FromLeader & { kind: 'event' }): Missing {
    if (event.seq === 0) return this.pass(event);
    switch (this.cursor.classify(gen, prev, event.seq)) {
      case 'next':
        return this.pass(event);
      case 'gap':
        return 'events';
      case 'old':
        return null;
    }
  }

  /** Delivers an event to the subscribers. */
  pass(event: StreamEvent): Missing {
    const session = event.name.startsWith('message.') ? sessionOf(event) : null;
    if (session === null || !this.watches.has(session)) {
      if (session === null || event.seq > 0) this.listeners.notify(event); // text that streams is for those who asked
      return null;
    }
    const passed = this.live.take(event);
    if (passed === 'gap') return 'text';
    for (const each of passed) this.listeners.notify(each);
    return null;
  }

  /** After a new connection, answers that do not stream again are dropped. */
  expireTexts(): void {
    this.live.markUnconfirmed();
  }

  /** Discards the answers that have not streamed since the connection. */
  discardUnconfirmed(): void {
    for (const event of this.live.discardUnconfirmed()) this.listeners.notify(event);
  }
}
