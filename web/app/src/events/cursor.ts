import type { Standing } from './wire';

/** A tab that missed more events than this is not sent them; it reads again what it shows. */
const maxReplay = 2000;

/** Where a tab is in the chain of stored events. */
export class Cursor {
  gen: string | null = null;
  at = 0;
  /** The number since which each watched session is followed, as far as this tab knows. */
  private known = new Map<string, number>();

  /** Whether an event is the next one, is known already, or comes after one that is missing. */
  classify(gen: string | null, prev: number, seq: number): 'next' | 'old' | 'gap' {
    if (gen === null || gen !== this.gen) return 'gap';
    if (seq <= this.at) return 'old';
    if (prev > this.at) return 'gap';
    this.at = seq;
    return 'next';
  }

  /** Compares with how the stream stands. `anew`: the chain of numbers is another one.
   * `behind`: events were missed that can be sent again. `fresh`: those of the watched
   * sessions that are followed only from now on. */
  compare(stands: Standing, watches: string[]): { anew: boolean; behind: boolean; fresh: string[] } {
    const anew = stands.gen !== this.gen || stands.cursor - this.at > maxReplay;
    if (anew) {
      this.gen = stands.gen;
      this.at = stands.cursor;
      this.known.clear();
    }
    const fresh: string[] = [];
    for (const session of watches) {
      const since = stands.since[session];
      if (since === undefined) this.known.delete(session);
      else if (this.known.get(session) !== since) {
        this.known.set(session, since);
        fresh.push(session);
      }
    }
    return { anew, behind: stands.cursor > this.at, fresh };
  }

  /** A session that is followed already is watched here too from now on. */
  adopt(session: string, since: number | undefined): void {
    if (since !== undefined) this.known.set(session, since);
  }

  forget(session: string): void {
    this.known.delete(session);
  }
}
