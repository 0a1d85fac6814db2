/** After so long without a word a tab is taken for dead. Timers of hidden tabs may run
 * once a minute only. */
export const silence = 150_000;

/** Which sessions the tabs watch. Every tab keeps the list, so that whoever takes over
 * the lead has it at once. */
export class Union {
  private tabs = new Map<string, { watches: string[]; at: number }>();

  note(tab: string, watches: string[], now: number): void {
    this.tabs.set(tab, { watches, at: now });
  }

  drop(tab: string): void {
    this.tabs.delete(tab);
  }

  /** All watched sessions, those that were asked for last at the end. */
  sessions(now: number): string[] {
    for (const [tab, { at }] of this.tabs) if (now - at > silence) this.tabs.delete(tab);
    return [...new Set([...this.tabs.values()].flatMap((tab) => tab.watches))];
  }

  get size(): number {
    return this.tabs.size;
  }
}
