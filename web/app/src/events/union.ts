/** The silence after which a tab is considered closed, in milliseconds. Timers of hidden tabs may run once a minute
 * only. */
export const silence = 150_000;

/** The sessions that all tabs watch. Every tab has the list, so that the next leader has it at once. */
export class Union {
  private tabs = new Map<string, { watches: string[]; at: number }>();

  note(tab: string, watches: string[], now: number): void {
    this.tabs.set(tab, { watches, at: now });
  }

  drop(tab: string): void {
    this.tabs.delete(tab);
  }

  /** All watched sessions, the most recently requested last. */
  sessions(now: number): string[] {
    for (const [tab, { at }] of this.tabs) if (now - at > silence) this.tabs.delete(tab);
    return [...new Set([...this.tabs.values()].flatMap((tab) => tab.watches))];
  }

  get size(): number {
    return this.tabs.size;
  }
}
