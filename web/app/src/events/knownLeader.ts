import type { Connection } from './types';
import { same, type Leading, type StreamState } from './wire';

const quiet = 4000; // milliseconds of silence after which a tab checks whether the leader is alive
const quietWhileHidden = 20_000; // then the leader's timers, or those of this tab, may be slow
const patience = 4000; // milliseconds within which the leader must answer

/** What a tab knows of its leader: its id, the state of its stream, and when its last message arrived. */
export class KnownLeader {
  by: Leading | null = null;
  streamState: StreamState | null = null;
  connection: Connection = { state: 'connecting' };
  private receivedAt = 0;
  private askedAt: number | null = null;

  /** Restarts the measurement of the leader's silence. */
  enter(): void {
    this.receivedAt = Date.now();
    this.askedAt = null;
  }

  /** Drops the leader, e.g. because the key changed. */
  forget(): void {
    this.by = this.streamState = null;
    this.connection = { state: 'connecting' };
  }

  /** Records a message of an accepted leader. True if it is a new leader. */
  noteLeader(by: Leading): boolean {
    const other = this.by?.tab !== by.tab;
    if (!same(this.by, by)) this.by = by;
    this.enter();
    return other;
  }

  /** The number from which all events of a session were passed on; undefined if it is not followed. */
  since(session: string): number | undefined {
    return this.streamState?.since[session];
  }

  /** Records the state of the stream. `joined`: it was connected again. `changed`: `connection` changed. */
  update(streamState: StreamState): { joined: boolean; changed: boolean } {
    const joined = streamState.gen !== null && streamState.join !== this.streamState?.join;
    this.streamState = streamState;
    const before = this.connection;
    this.connection = connectionOf(streamState, before);
    return { joined, changed: this.connection !== before };
  }

  /** What to do about a silent leader: check it, then replace it. */
  overdue(hidden: boolean): 'ask' | 'replace' | null {
    const now = Date.now();
    if (this.askedAt !== null) return now - this.askedAt >= patience ? 'replace' : null;
    if (now - this.receivedAt <= (hidden ? quietWhileHidden : quiet)) return null;
    this.askedAt = now;
    return 'ask';
  }

  /** The stream state with which a new leader starts. */
  inherited(cursor: { gen: string | null; at: number }): StreamState {
    return {
      gen: cursor.gen,
      cursor: cursor.at,
      since: this.streamState?.since ?? {},
      join: this.streamState?.join ?? '',
      connection: this.connection.state,
      lostFor: this.connection.state === 'lost' ? performance.now() - this.connection.since : 0,
      refused: false,
    };
  }
}

/** The same object as before when nothing changed. */
function connectionOf({ connection, lostFor, refused }: StreamState, before: Connection): Connection {
  if (connection !== 'lost') return connection === before.state ? before : { state: connection };
  if (before.state === 'lost' && refused === (before.refused ?? false)) return before;
  return { state: 'lost', since: performance.now() - lostFor, refused };
}
