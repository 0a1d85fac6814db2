import type { Connection } from './types';
import { same, type Leading, type Standing } from './wire';

const quiet = 4000; // after so long without a word a tab asks whether the leader is there
const quietWhileHidden = 20_000; // then the leader's timers, or those of this tab, may be slow
const patience = 4000; // so long the leader has to answer

/** What a tab knows of its leader: who it is, how its stream stands, and when it was heard. */
export class KnownLeader {
  by: Leading | null = null;
  stands: Standing | null = null;
  connection: Connection = { state: 'connecting' };
  private heardAt = 0;
  private askedAt: number | null = null;

  /** The leader's silence is counted from now on. */
  enter(): void {
    this.heardAt = Date.now();
    this.askedAt = null;
  }

  /** Forgets the leader, e.g. because the key changed. */
  forget(): void {
    this.by = this.stands = null;
    this.connection = { state: 'connecting' };
  }

  /** An accepted leader said something. True: it is another one than before. */
  heard(by: Leading): boolean {
    const other = this.by?.tab !== by.tab;
    if (!same(this.by, by)) this.by = by;
    this.enter();
    return other;
  }

  /** Since which number all events of a session were passed on; undefined: it is not followed. */
  since(session: string): number | undefined {
    return this.stands?.since[session];
  }

  /** Takes how the stream stands. `joined`: it was connected anew. `changed`: so was `connection`. */
  update(stands: Standing): { joined: boolean; changed: boolean } {
    const joined = stands.gen !== null && stands.join !== this.stands?.join;
    this.stands = stands;
    const before = this.connection;
    this.connection = connectionOf(stands, before);
    return { joined, changed: this.connection !== before };
  }

  /** What to do about a silent leader: ask whether it is there, then replace it. */
  overdue(hidden: boolean): 'ask' | 'replace' | null {
    const now = Date.now();
    if (this.askedAt !== null) return now - this.askedAt >= patience ? 'replace' : null;
    if (now - this.heardAt <= (hidden ? quietWhileHidden : quiet)) return null;
    this.askedAt = now;
    return 'ask';
  }

  /** What a tab that takes over the lead begins with. */
  inherited(cursor: { gen: string | null; at: number }): Standing {
    return {
      gen: cursor.gen,
      cursor: cursor.at,
      since: this.stands?.since ?? {},
      join: this.stands?.join ?? '',
      connection: this.connection.state,
      lostFor: this.connection.state === 'lost' ? performance.now() - this.connection.since : 0,
      refused: false,
    };
  }
}

/** The same object as before when nothing changed. */
function connectionOf({ connection, lostFor, refused }: Standing, before: Connection): Connection {
  if (connection !== 'lost') return connection === before.state ? before : { state: connection };
  if (before.state === 'lost' && refused === (before.refused ?? false)) return before;
  return { state: 'lost', since: performance.now() - lostFor, refused };
}
