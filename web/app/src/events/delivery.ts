import { Cursor } from './cursor';
import { Listeners } from './listeners';
import { Live, sessionOf } from './live';
import type { StreamEvent } from './types';
import type { Watches } from './watches';
import type { FromLeader, Standing } from './wire';

/** What is missing before an event: stored events, or text that streams. */
export type Missing = 'events' | 'text' | null;

/** Hands the events of the stream to the screens of a tab: each stored one once and in
 * order, streamed text without a gap. */
export class Delivery {
  readonly listeners = new Listeners<[StreamEvent]>();
  private cursor = new Cursor();
  private live = new Live();

  constructor(private watches: Watches) {}

  /** Where the tab is in the chain of stored events. */
  get position(): { gen: string | null; at: number } {
    return this.cursor;
  }

  /** How many answers are streaming just now. */
  get texts(): number {
    return this.live.size;
  }

  compare(stands: Standing): ReturnType<Cursor['compare']> {
    return this.cursor.compare(stands, this.watches.sessions);
  }

  /** A session that is followed already is watched here too from now on. */
  adopt(session: string, since: number): void {
    this.cursor.adopt(session, since);
  }

  /** No screen watches the session any more. */
  forget(session: string): void {
    this.live.forget(session);
    this.cursor.forget(session);
  }

  /** Forgets everything. */
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

  /** Hands an event to those who listen. */
  pass(event: StreamEvent): Missing {
    const session = event.name.startsWith('message.') ? sessionOf(event) : null;
    if (session === null || !this.watches.has(session)) {
      if (session === null || event.seq > 0) this.listeners.tell(event); // text that streams is for those who asked
      return null;
    }
    const passed = this.live.take(event);
    if (passed === 'gap') return 'text';
    for (const each of passed) this.listeners.tell(each);
    return null;
  }

  /** After a new connection: answers that do not stream again are void. */
  doubtTexts(): void {
    this.live.doubt();
  }

  /** Discards the answers that did not stream again since. */
  discardDoubted(): void {
    for (const event of this.live.settleDoubts()) this.listeners.tell(event);
  }
}
