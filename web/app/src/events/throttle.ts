const gatherFor = 120; // requests within these milliseconds are answered by one run
const pauseBetween = 1000; // the least time between two runs
const maxWait = 10_000; // a run that does not end is not waited for any longer

/** Runs a task once for many requests: soon after the first one, then at intervals while
 * requests keep coming, and never twice at the same time. */
export class Throttle {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private busy = false;
  private requested = false;
  private endedAt = -Infinity;

  constructor(private task: () => Promise<unknown>) {}

  request(): void {
    this.requested = true;
    if (this.busy || this.timer !== undefined) return;
    this.timer = setTimeout(() => void this.run(), Math.max(gatherFor, this.endedAt + pauseBetween - Date.now()));
  }

  private async run(): Promise<void> {
    this.timer = undefined;
    this.requested = false;
    this.busy = true;
    let limit: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise((done) => {
      limit = setTimeout(done, maxWait);
    });
    await Promise.race([this.task().catch(() => {}), late]);
    clearTimeout(limit);
    this.busy = false;
    this.endedAt = Date.now();
    if (this.requested) this.request();
  }
}
