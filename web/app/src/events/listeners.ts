/** A list of listeners. */
export class Listeners<A extends unknown[]> {
  private all = new Set<(...args: A) => void>();

  add(listener: (...args: A) => void): () => void {
    const own = (...args: A) => listener(...args); // the same function may be added twice
    this.all.add(own);
    return () => {
      this.all.delete(own);
    };
  }

  /** Calls all listeners. One that throws does not stop the others. */
  notify(...args: A): void {
    const now = [...this.all];
    for (const listener of now) {
      if (!this.all.has(listener)) continue; // removed by a listener before it
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
