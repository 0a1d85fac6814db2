// Messages on their way. Each is kept in the browser until the server has said that it is
// stored, and is sent with one Idempotency-Key: however often it is tried, it arrives once.
import { api, body, newKey, type Schemas } from '../../../api/client';
import { asProblem, type Problem } from '../../../api/problem';
import type { Draft } from './drafts';
import { contentOf } from './drafts';

export type IfBusy = NonNullable<Schemas['MessageInput']['if_busy']>;
export interface Parcel {
  key: string;
  draft: Draft;
  ifBusy?: IfBusy;
  at: number;
}
export interface Outgoing extends Parcel {
  state: 'waiting' | 'sending' | 'failed';
  problem?: Problem;
}
type Receipt = Schemas['MessageAccepted'];

const fresh = 15 * 60 * 1000; // older ones are only sent again when the person says so
const prefix = (session: string) => `fermata.outbox.${session}.`;
// What the next try may mend by itself.
const passing = new Set([
  'unreachable',
  'unavailable',
  'db_busy',
  'idempotency_in_progress',
  'rate_limited',
  'outcome_unknown',
]);

let begun = '';

/** Whether the session was begun just now: its field goes on with the focus of the one
 * that was written in. */
export function wasBegun(session: string): boolean {
  const was = begun === session;
  begun = '';
  return was;
}

/** Keeps the first message of a session that is opened next. */
export function keepParcel(session: string, draft: Draft): void {
  begun = session;
  keep(session, { key: newKey(), draft, at: Date.now() });
}

function keep(session: string, { key, draft, ifBusy, at }: Parcel): void {
  try {
    localStorage.setItem(prefix(session) + key, JSON.stringify({ key, draft, ifBusy, at }));
  } catch {
    /* lives as long as the page */
  }
}

function kept(session: string): Outgoing[] {
  const found: Outgoing[] = [];
  try {
    for (const name of Object.keys(localStorage)) {
      if (!name.startsWith(prefix(session))) continue;
      const said = JSON.parse(localStorage.getItem(name) ?? 'null') as Parcel | null;
      if (said?.key && typeof said.draft?.text === 'string') found.push({ ...said, state: 'waiting' });
    }
  } catch {
    /* no storage, or not ours */
  }
  return found.toSorted((a, b) => a.at - b.at);
}

export class Outbox {
  items: Outgoing[];
  private busy = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private closed = false;

  constructor(
    private readonly session: string,
    private readonly changed: () => void,
    private readonly stored: (receipt: Receipt) => void,
    private readonly refused: (problem: Problem) => void,
  ) {
    this.items = kept(session);
  }

  add(draft: Draft, ifBusy?: IfBusy): void {
    const parcel: Outgoing = { key: newKey(), draft, ifBusy, at: Date.now(), state: 'waiting' };
    keep(this.session, parcel);
    this.put([...this.items, parcel]);
    void this.flush();
  }

  /** Takes one back. It may have arrived all the same if its answer was lost. */
  remove(key: string): void {
    try {
      localStorage.removeItem(prefix(this.session) + key);
    } catch {
      /* was never kept */
    }
    this.put(this.items.filter((i) => i.key !== key));
  }

  again(key: string): void {
    this.put(
      this.items.map((i) => (i.key === key ? { ...i, at: Date.now(), state: 'waiting', problem: undefined } : i)),
    );
    void this.flush();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  /** Sends what waits, in order. It is called again when the connection is back. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    if (this.busy || this.closed) return;
    this.busy = true;
    try {
      for (let item = this.next(); item; item = this.next()) {
        if (!(await this.send(item))) return;
      }
    } finally {
      this.busy = false;
    }
  }

  private next(): Outgoing | undefined {
    return this.items.find(
      (i) => Date.now() - i.at < fresh && (i.state !== 'failed' || passing.has(i.problem?.code ?? '')),
    );
  }

  /** False: the rest waits. */
  private async send(item: Outgoing): Promise<boolean> {
    this.mark(item.key, { state: 'sending', problem: undefined });
    try {
      const receipt = await body(
        api.POST('/v1/sessions/{session_id}/messages', {
          params: { path: { session_id: this.session }, header: { 'Idempotency-Key': item.key } },
          body: { ...contentOf(item.draft), ...(item.ifBusy ? { if_busy: item.ifBusy } : {}) },
        }),
      );
      this.remove(item.key);
      this.stored(receipt);
      return true;
    } catch (thrown) {
      const problem = asProblem(thrown);
      this.mark(item.key, { state: 'failed', problem });
      this.refused(problem);
      const wait = passing.has(problem.code);
      if (wait && !this.closed)
        this.timer = setTimeout(() => void this.flush(), Math.max(3000, problem.retryAfter * 1000));
      return !wait; // what was refused for good does not hold the others up
    }
  }

  private mark(key: string, now: Partial<Outgoing>): void {
    this.put(this.items.map((i) => (i.key === key ? { ...i, ...now } : i)));
  }

  private put(items: Outgoing[]): void {
    this.items = items;
    this.changed();
  }
}
