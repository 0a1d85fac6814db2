import type { StreamState } from './wire';

/** A tab that missed more events than this does not have them replayed; it reads everything again. */
const maxReplay = 2000;

/** A tab's position in the chain of stored events. */
export class Cursor {
  gen: string | null = null;
  at = 0;
  /** The number from which each watched session is followed, as far as this tab knows. */
  private known = new Map<string, number>();

  /** Whether an event is the next one, already known, or after a gap. */
  classify(gen: string | null, prev: number, seq: number): 'next' | 'old' | 'gap' {
    if (gen === null || gen !== this.gen) return 'gap';
    if (seq <= this.at) return 'old';
    if (prev > this.at) return 'gap';
    this.at = seq;
    return 'next';
  }

  /** Compares the position with the state of the leader's stream. `restarted`: the chain of numbers is another one.
   * `behind`: events were missed that can be replayed. `fresh`: the watched sessions that are followed only from now
   * on. */
  compare(streamState: StreamState, watches: string[]): { restarted: boolean; behind: boolean; fresh: string[] } {
    const restarted = streamState.gen !== this.gen || streamState.cursor - this.at > maxReplay;
    if (restarted) {
      this.gen = streamState.gen;
      this.at = streamState.cursor;
      this.known.clear();
    }
    const fresh: string[] = [];
    for (const session of watches) {
      const since = streamState.since[session];
      if (since === undefined) this.known.delete(session);
      else if (this.known.get(session) !== since) {
        this.known.set(session, since);
        fresh.push(session);
      }
    }
    return { restarted, behind: streamState.cursor > this.at, fresh };
  }

  /** A session that is already followed is now watched here too. */
  adopt(session: string, since: number | undefined): void {
    if (since !== undefined) this.known.set(session, since);
  }

  forget(session: string): void {
    this.known.delete(session);
  }
}
