import { Deferred } from './deferred';

const lookEvery = 2000;
const announceEvery = 20_000;
/** Checks further apart than this mean that the machine slept. Timers of hidden tabs may run only once a minute. */
const longestGap = { visible: 20_000, hidden: 90_000 };

/** The timers of a tab, and the times of its last check and announcement. */
export class TabClock {
  /** Announces the watched sessions to the other tabs. */
  readonly announcement = new Deferred();
  /** Requests streamed text again. */
  readonly resync = new Deferred();
  /** Discards answers that have not streamed again. */
  readonly textCheck = new Deferred();
  private looking: ReturnType<typeof setInterval> | undefined;
  private lookedAt = 0;
  private announcedAt = 0;

  /** Calls `look` periodically until it is stopped. */
  start(look: () => void): void {
    this.lookedAt = Date.now();
    this.looking = setInterval(look, lookEvery);
  }

  stop(): void {
    clearInterval(this.looking);
    for (const deferred of [this.announcement, this.resync, this.textCheck]) deferred.cancel();
  }

  /** Whether the machine slept since the last check. */
  jumped(hidden: boolean): boolean {
    const now = Date.now();
    const gap = now - this.lookedAt;
    this.lookedAt = now;
    return gap > (hidden ? longestGap.hidden : longestGap.visible);
  }

  announced(): void {
    this.announcedAt = Date.now();
  }

  /** Whether the tab was silent long enough that it has to announce itself again. */
  get announcementDue(): boolean {
    return Date.now() - this.announcedAt > announceEvery;
  }
}
