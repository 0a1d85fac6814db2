/** A list of listeners. */
export class Listeners<A extends unknown[]> {
  private all = new Set<(...args: A) => void>();

  add(listener: (...args: A) => void): () => void {
    const own = (...args: A) => listener(...args); // the same function twice counts twice
    this.all.add(own);
    return () => {
      this.all.delete(own);
    };
  }

  /** Calls them all. One that throws does not stop the others. */
  tell(...args: A): void {
    const now = [...this.all];
    for (const listener of now) {
      if (!this.all.has(listener)) continue; // one before it ended it
      try {
        listener(...args);
      } catch (thrown) {
        setTimeout(() => {
          throw thrown;
        });
      }
    }
  }

  get size(): number {
    return this.all.size;
  }
}
