/** One thing to do later: it waits at most once. */
export class Deferred {
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Does it after so many milliseconds, unless it waits already. */
  schedule(ms: number, run: () => void): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      run();
    }, ms);
  }

  /** Does it after so many milliseconds, in place of what waits already. */
  reschedule(ms: number, run: () => void): void {
    this.cancel();
    this.schedule(ms, run);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
