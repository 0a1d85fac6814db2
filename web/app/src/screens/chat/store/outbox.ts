// Outgoing messages. Each is stored in the browser until the server confirms it, and all attempts use one
// Idempotency-Key, so that it is stored once.
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
  /** It is the first message of a new workspace, and is sent with the person's choices there. */
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
/** Sends a message; throws the reason if it was not sent. */
type Deliver = (parcel: Parcel) => Promise<void>;

const fresh = 15 * 60 * 1000; // older ones are sent again only on request
const prefix = (session: string) => storageName(`outbox.${session}.`);
// Failures that a retry may resolve.
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

/** The session, if it was just created: it is shown before any of it is loaded. */
export const begunSession = (id: string): Session | null => (begun?.id === id ? begun : null);

/** Whether the session was just created: its field takes over the focus of the previous one. */
export function wasBegun(session: string): boolean {
  const was = unfocused === session;
  unfocused = '';
  return was;
}

/** The messages of a chat that does not exist yet. */
export const newChat = 'new';

/** Stores messages for a session that was just created. They are sent once it is opened. */
export function keepParcels(session: Session, parcels: readonly Parcel[]): void {
  begun = session;
  unfocused = session.id;
  for (const { first: _, ...parcel } of parcels) keep(session.id, parcel);
}

/** Stores a message that will create a new chat. */
export function keepFirst(draft: Draft, first?: FirstChoices): void {
  keep(newChat, { key: newKey(), draft, at: Date.now(), first });
}

// Without browser storage they last as long as the page.
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
    /* was never stored */
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
    /* no storage, or invalid content */
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

/** Whether it is retried automatically. */
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

  /** Withdraws a message. It may have arrived if only the response was lost. */
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

  /** Sends the pending messages in order. Called again when the connection is restored. */
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

  /** Whether it is sent only on request. */
  held(i: Outgoing): boolean {
    return Date.now() - i.at >= fresh || (i.state === 'failed' && !passing.has(i.problem?.code ?? ''));
  }

  /** False: the others wait. */
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
      return !wait; // a rejected message does not block the others
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
