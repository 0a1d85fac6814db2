import type { Standing } from './wire';

/** So much is not replayed to a tab that slept; it reads again what it shows. */
const most = 2000;

/** Where a tab is in the chain of stored events. */
export class Cursor {
  gen: string | null = null;
  at = 0;
  /** Since when the sessions of this tab were followed, as it knows. */
  private known = new Map<string, number>();

  /** What is to be done with an event: it is the next one, was there already, or one
   * before it is missing. */
  judge(gen: string | null, prev: number, seq: number): 'next' | 'old' | 'gap' {
    if (gen === null || gen !== this.gen) return 'gap';
    if (seq <= this.at) return 'old';
    if (prev > this.at) return 'gap';
    this.at = seq;
    return 'next';
  }

  /** Compares with how the stream stands. `anew`: nothing connects to what was before.
   * `behind`: something was missed that can still be had. `fresh`: those of the watched
   * sessions that are followed only from now on. */
  compare(stands: Standing, watches: string[]): { anew: boolean; behind: boolean; fresh: string[] } {
    const anew = stands.gen !== this.gen || stands.cursor - this.at > most;
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
