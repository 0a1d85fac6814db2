/** A callback that is scheduled at most once at a time. */
export class Deferred {
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Schedules the callback, unless one is scheduled already. */
  schedule(ms: number, run: () => void): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      run();
    }, ms);
  }

  /** Schedules the callback in place of a scheduled one. */
  reschedule(ms: number, run: () => void): void {
    this.cancel();
    this.schedule(ms, run);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
