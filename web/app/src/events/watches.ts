/** The sessions that a tab's screens watch, with the number of screens of each. */
export class Watches {
  private counts = new Map<string, number>();

  /** True for the first watcher. */
  add(session: string): boolean {
    const count = this.counts.get(session) ?? 0;
    this.counts.set(session, count + 1);
    return count === 0;
  }

  /** True for the last watcher. */
  remove(session: string): boolean {
    const left = this.counts.get(session)! - 1;
    if (left > 0) this.counts.set(session, left);
    else this.counts.delete(session);
    return left <= 0;
  }

  has(session: string): boolean {
    return this.counts.has(session);
  }

  get sessions(): string[] {
    return [...this.counts.keys()];
  }

  get size(): number {
    return this.counts.size;
  }
}
