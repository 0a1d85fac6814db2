// Messages on their way. Each is kept in the browser until the server has said that it is
// stored, and is sent with one Idempotency-Key: however often it is tried, it arrives once.
import { storageName } from '../../../api/base';
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
  /** It is the first message of a new workspace, and what the person chose there goes with it. */
  first?: FirstChoices;
}
/** The settings that a new user chose before their first message. Without a language and a time zone, the workspace
 * keeps its own. */
export interface FirstChoices {
  asks: boolean;
  language?: string;
  timeZone?: string;
}
export interface Outgoing extends Parcel {
  state: 'waiting' | 'sending' | 'failed';
  problem?: Problem;
}
type Receipt = Schemas['MessageAccepted'];
type Session = Schemas['Session'];
/** What sends a message. What it throws is why it was not sent. */
type Deliver = (parcel: Parcel) => Promise<void>;

const fresh = 15 * 60 * 1000; // older ones are only sent again when the person says so
const prefix = (session: string) => storageName(`outbox.${session}.`);
// What the next try may mend by itself.
const passing = new Set([
  'unreachable',
  'unavailable',
  'db_busy',
  'idempotency_in_progress',
  'rate_limited',
  'outcome_unknown',
]);

let begun: Session | null = null;
let unfocused = '';

/** The session, if it was made just now: it is shown before anything of it is read. */
export const begunSession = (id: string): Session | null => (begun?.id === id ? begun : null);

/** Whether the session was begun just now: its field continues with the focus of the one
 * that was written in. */
export function wasBegun(session: string): boolean {
  const was = unfocused === session;
  unfocused = '';
  return was;
}

/** The messages of a chat that does not exist yet. */
export const newChat = 'new';

/** Keeps messages for a session that was just made. It sends them once it is opened. */
export function keepParcels(session: Session, parcels: readonly Parcel[]): void {
  begun = session;
  unfocused = session.id;
  for (const { first: _, ...parcel } of parcels) keep(session.id, parcel);
}

/** Keeps a message from which a new chat is made. */
export function keepFirst(draft: Draft, first?: FirstChoices): void {
  keep(newChat, { key: newKey(), draft, at: Date.now(), first });
}

// Where the browser stores nothing, they live as long as the page.
const unstored = new Map<string, string>();

function keep(session: string, { key, draft, ifBusy, at, first }: Parcel): void {
  const text = JSON.stringify({ key, draft, ifBusy, at, first });
  try {
    localStorage.setItem(prefix(session) + key, text);
  } catch {
    unstored.set(prefix(session) + key, text);
  }
}

function forget(session: string, key: string): void {
  unstored.delete(prefix(session) + key);
  try {
    localStorage.removeItem(prefix(session) + key);
  } catch {
    /* was never kept */
  }
}

function kept(session: string): Outgoing[] {
  const found: Outgoing[] = [];
  const read = (name: string, text: string | null | undefined) => {
    if (!name.startsWith(prefix(session))) return;
    const said = JSON.parse(text ?? 'null') as Parcel | null;
    if (said?.key && typeof said.draft?.text === 'string') found.push({ ...said, state: 'waiting' });
  };
  try {
    for (const name of Object.keys(localStorage)) read(name, localStorage.getItem(name));
  } catch {
    /* no storage, or not ours */
  }
  for (const [name, text] of unstored) read(name, text);
  return found.toSorted((a, b) => a.at - b.at);
}

/** Sends a message to its session. */
export const post = (session: string, { key, draft, ifBusy }: Parcel): Promise<Receipt> =>
  body(
    api.POST('/v1/sessions/{session_id}/messages', {
      params: { path: { session_id: session }, header: { 'Idempotency-Key': key } },
      body: { ...contentOf(draft), ...(ifBusy ? { if_busy: ifBusy } : {}) },
    }),
  );

/** Whether it is tried again by itself. */
export const passes = ({ problem }: Outgoing): boolean => passing.has(problem?.code ?? '');

export class Outbox {
  items: Outgoing[];
  private busy = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private closed = false;

  constructor(
    private readonly session: string,
    private readonly changed: () => void,
    private readonly deliver: Deliver,
    private readonly refused: (problem: Problem) => void = () => {},
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
    forget(this.session, key);
    this.put(this.items.filter((i) => i.key !== key));
  }

  again(key: string): void {
    this.put(
      this.items.map((i) => (i.key === key ? { ...i, at: Date.now(), state: 'waiting', problem: undefined } : i)),
    );
    void this.flush();
  }

  open(): void {
    this.closed = false;
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
    return this.items.find((i) => !this.held(i));
  }

  /** Whether it is only sent when the person says so. */
  held(i: Outgoing): boolean {
    return Date.now() - i.at >= fresh || (i.state === 'failed' && !passing.has(i.problem?.code ?? ''));
  }

  /** False: the rest waits. */
  private async send(item: Outgoing): Promise<boolean> {
    this.mark(item.key, { state: 'sending', problem: undefined });
    try {
      await this.deliver(item);
      this.remove(item.key);
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
