/** The wait before the next attempt to connect: exponential, with jitter, so that pages do not all connect at once. */
export class Backoff {
  private attempt = 0;
  constructor(private random: () => number) {}

  /** The wait in milliseconds. `atLeast` is the server's Retry-After. */
  next(atLeast = 0): number {
    const longest = Math.min(10_000, 200 * 2 ** this.attempt++);
    const own = longest * (0.5 + this.random() / 2);
    return atLeast > own ? Math.min(atLeast, 120_000) + own / 4 : own;
  }

  reset(): void {
    this.attempt = 0;
  }
}
