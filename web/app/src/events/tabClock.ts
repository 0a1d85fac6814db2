import { Deferred } from './deferred';

const lookEvery = 2000;
const announceEvery = 20_000;
/** Looks further apart than this mean that the machine slept. Timers of hidden tabs may run once a minute only. */
const longestGap = { visible: 20_000, hidden: 90_000 };

/** The timers of a tab, and when it last looked around and announced itself. */
export class TabClock {
  /** Tells the others what this tab watches. */
  readonly announcement = new Deferred();
  /** Asks for streamed text again. */
  readonly resync = new Deferred();
  /** Gives up answers that did not show themselves again. */
  readonly doubts = new Deferred();
  private looking: ReturnType<typeof setInterval> | undefined;
  private lookedAt = 0;
  private announcedAt = 0;

  /** Calls `look` every now and then, until it is stopped. */
  start(look: () => void): void {
    this.lookedAt = Date.now();
    this.looking = setInterval(look, lookEvery);
  }

  stop(): void {
    clearInterval(this.looking);
    for (const deferred of [this.announcement, this.resync, this.doubts]) deferred.cancel();
  }

  /** Whether the machine slept since the last look: timers may stop for long. */
  jumped(hidden: boolean): boolean {
    const now = Date.now();
    const gap = now - this.lookedAt;
    this.lookedAt = now;
    return gap > (hidden ? longestGap.hidden : longestGap.visible);
  }

  announced(): void {
    this.announcedAt = Date.now();
  }

  /** Whether the tab was silent for so long that it has to announce itself again. */
  get announcementDue(): boolean {
    return Date.now() - this.announcedAt > announceEvery;
  }
}
