const moment = 120; // milliseconds in which what comes together is gathered
const rest = 1000; // between two rounds while it goes on coming
const most = 10_000; // a round that does not end is not waited for any longer

/** Does a thing for many wishes at once: soon after the first, then seldom as long as
 * wishes keep coming, and never a second time before the first has ended. */
export class Gatherer {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private busy = false;
  private wished = false;
  private endedAt = -Infinity;

  constructor(private round: () => Promise<unknown>) {}

  soon(): void {
    this.wished = true;
    if (this.busy || this.timer !== undefined) return;
    this.timer = setTimeout(() => void this.run(), Math.max(moment, this.endedAt + rest - Date.now()));
  }

  private async run(): Promise<void> {
    this.timer = undefined;
    this.wished = false;
    this.busy = true;
    let limit: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise((done) => {
      limit = setTimeout(done, most);
    });
    await Promise.race([this.round().catch(() => {}), late]);
    clearTimeout(limit);
    this.busy = false;
    this.endedAt = Date.now();
    if (this.wished) this.soon();
  }
}
