// The state of the open session. It is filled by a load and updated by events; duplicate events, and events that a
// load already contains, change nothing. It depends on neither the network nor React, so that it can be tested
// alone.
import type { Schemas } from '../../../api/client';
import type { StreamEvent } from '../../../events/types';
import { LiveText } from './live';

export type Session = Schemas['Session'];
export type Message = Schemas['Message'];
export type Execution = Schemas['Execution'];
export type Approval = Schemas['Approval'];
export type Roundtrip = Schemas['Roundtrip'] | Schemas['RoundtripRecord'];

/** An approval and its position in the record; Infinity: at the end. */
export interface PlacedApproval {
  approval: Approval;
  seq: number;
}

/** The newest part of the record, as loaded. */
export interface Latest {
  session: Session; // loaded first: every event up to its last_seq is contained in the rest
  messages: Message[]; // newest first
  cursor: string | null; // the cursor of older ones
  approvals: Approval[]; // the open ones
  executions: Execution[]; // of the current round
  roundtrip: Roundtrip | null; // the last call of the AI
}

export type Change = 'record' | 'live';

// Phases in which the AI may be writing.
const writing = new Set<string>(['CALLING_AI', 'PARSING_AI_RESPONSE', 'COMPACTING_CONTEXT']);

export class SessionStore {
  session: Session | null = null;
  messages = new Map<string, Message>();
  executions = new Map<string, Execution>();
  approvals = new Map<string, PlacedApproval>();
  live = new Map<string, LiveText>();
  roundtrip: Roundtrip | null = null;
  /** The previous text is void, and no new text has arrived since. */
  voided = false;
  /** When it entered its phase, by the server's clock. */
  phaseSince = 0;
  /** The attempt that the person views, by the round that answered first; else the current one. */
  picked = new Map<string, string>();
  /** The cursor of older messages; null: all are loaded. */
  cursor: string | null = null;
  private loadedSeq = 0;
  private buffer: StreamEvent[] | null = []; // events that arrived before or during a load

  constructor(
    readonly id: string,
    private readonly changed: (what: Change) => void = () => {},
  ) {}

  /** From now on events are buffered until the load is done. */
  beginLoad(): void {
    this.buffer ??= [];
  }

  /** The load failed: the buffered events are applied all the same. */
  abandonLoad(): void {
    if (this.session) this.release();
  }

  /** Applies a load, then the buffered events. `replace`: nothing known before is kept, e.g. after a change of the
   * page's language. */
  load(read: Latest, replace = false): void {
    if (replace) {
      this.messages.clear();
      this.executions.clear();
    }
    this.session = read.session;
    this.loadedSeq = read.session.last_seq;
    this.phaseSince = Date.parse(read.session.last_event_time);
    this.roundtrip = read.roundtrip ?? this.roundtrip;
    this.voided = false;
    this.merge(read.messages, read.cursor);
    for (const [id, known] of this.approvals) if (known.approval.status === 'open') this.approvals.delete(id);
    for (const approval of read.approvals) this.approvals.set(approval.id, { approval, seq: Infinity });
    for (const execution of read.executions) this.executions.set(execution.id, execution);
    for (const id of this.live.keys()) if (this.messages.has(id)) this.live.delete(id);
    this.release();
    this.changed('record');
  }

  private release(): void {
    const late = this.buffer ?? [];
    this.buffer = null;
    for (const event of late) this.apply(event);
  }

  /** Merges the newest page. Known older pages are kept, unless there is a gap. */
  private merge(page: Message[], cursor: string | null): void {
    const placed = page.filter((m) => m.seq !== null);
    const oldest = cursor === null ? 0 : Math.min(...placed.map((m) => m.seq!));
    const older = [...this.messages.values()].filter((m) => m.seq !== null && m.seq < oldest);
    const newest = [...this.messages.values()].reduce((most, m) => Math.max(most, m.seq ?? 0), 0);
    const joined = newest >= oldest && older.length > 0;
    this.messages = new Map((joined ? older : []).map((m) => [m.id, m]));
    for (const m of page.toReversed()) this.messages.set(m.id, m);
    if (!joined) this.cursor = cursor;
  }

  /** Adds a page of older messages. */
  prepend(page: Message[], cursor: string | null): void {
    for (const m of page) if (!this.messages.has(m.id)) this.messages.set(m.id, m);
    this.cursor = cursor;
    this.changed('record');
  }

  /** Applies one event. False: streamed text is missing and has to be loaded. */
  apply(event: StreamEvent): boolean {
    if (event.name === 'queue.changed') {
      if (!event.data.lane || event.data.lane === this.session?.lane) this.queue(event.data.data ?? []);
      return true;
    }
    if (!belongs(this.id, event.data)) return true;
    if (event.name === 'message.delta' || event.name === 'message.snapshot' || event.name === 'message.discarded')
      return this.stream(event);
    if (this.buffer) {
      this.buffer.push(event);
      return true;
    }
    if (event.seq <= this.loadedSeq) return true;
    this.stored(event);
    this.changed('record');
    return true;
  }

  private stored(event: StreamEvent): void {
    switch (event.name) {
      case 'session.phase':
        this.enter(event.data);
        break;
      case 'session.created':
      case 'session.status':
      case 'session.ended':
        this.session = event.data.session;
        break;
      case 'message.created':
      case 'message.updated':
        this.store(event.data.message);
        break;
      case 'message.deleted':
        this.messages.delete(event.data.message.id);
        break;
      case 'command.planned':
      case 'command.started':
      case 'command.ended':
        this.executions.set(event.data.execution.id, event.data.execution);
        break;
      case 'approval.requested':
      case 'approval.settled':
        this.place(event.data.approval, event.seq);
        break;
      case 'answers.changed':
        this.mark(event.data.superseded, 'superseded');
        this.mark(event.data.current, 'stored');
        this.picked.clear();
        break;
      case 'usage.updated':
        this.used(event.data.roundtrip);
        break;
      default:
    }
  }

  private mark(ids: string[], status: Message['status']): void {
    for (const id of ids) {
      const known = this.messages.get(id);
      if (known) this.messages.set(id, { ...known, status });
    }
  }

  /** Selects one of the answers to a question. */
  look(group: string, round: string): void {
    this.picked.set(group, round);
    this.changed('record');
  }

  /** The messages in record order. */
  get placed(): Message[] {
    return [...this.messages.values()].filter((m) => m.seq !== null).toSorted((a, b) => a.seq! - b.seq!);
  }

  /** Whether a message belongs to the last round. */
  isLastRound(message: Message): boolean {
    let last = message;
    for (const m of this.messages.values()) if ((m.seq ?? 0) > (last.seq ?? 0)) last = m;
    return !!last.round_id && (last.retry_of ?? last.round_id) === (message.retry_of ?? message.round_id);
  }

  /** The last question, as it is answered now. */
  get lastQuestion(): Message | undefined {
    return this.placed.findLast((m) => m.sender === 'USER' && m.rich_content && m.status !== 'superseded');
  }

  private enter(data: Omit<Schemas['SessionPhaseData'], 'type'>): void {
    const session = this.session!;
    if (session.phase !== data.phase) this.phaseSince = Date.parse(data.at);
    this.session = { ...session, phase: data.phase, status: data.status, round_id: data.round_id };
    if (!writing.has(data.phase)) this.live.clear();
  }

  // It is placed where it was asked; for one that was open before the load only the place of its answer is known.
  private place(approval: Approval, seq: number): void {
    this.approvals.set(approval.id, { approval, seq: Math.min(this.approvals.get(approval.id)?.seq ?? Infinity, seq) });
  }

  private used(roundtrip: Roundtrip): void {
    if (roundtrip.purpose === 'answer') this.roundtrip = roundtrip;
  }

  private queue(rows: Schemas['QueueRow'][]): void {
    if (!this.session) return;
    const position = rows.find((r) => r.session_id === this.id)?.position ?? null;
    if (position === this.session.queue_position) return;
    this.session = { ...this.session, queue_position: position };
    this.changed('record');
  }

  /** Adds a message from an API response, unless the stream was faster. */
  arrived(message: Message, session: Session): void {
    if (!this.messages.has(message.id)) this.messages.set(message.id, message);
    this.take(session);
  }

  /** Applies a session state from an API response, unless a newer one is known. */
  take(session: Session): void {
    if (!this.session || session.last_seq >= this.session.last_seq) this.session = session;
    this.changed('record');
  }

  drop(messageID: string): void {
    this.messages.delete(messageID);
    this.changed('record');
  }

  settle(approval: Approval): void {
    this.place(approval, this.approvals.get(approval.id)?.seq ?? Infinity);
    this.changed('record');
  }

  private store(message: Message): void {
    this.voided = false;
    this.messages.set(message.id, message);
    this.live.delete(message.id);
  }

  private stream(
    event: Extract<StreamEvent, { name: 'message.delta' | 'message.snapshot' | 'message.discarded' }>,
  ): boolean {
    const id = event.data.message_id;
    if (event.name === 'message.discarded') {
      if (!this.live.delete(id)) return true;
      this.voided = true;
      this.changed('record');
      return true;
    }
    if (this.messages.has(id)) return true; // late text of a finished message
    let text = this.live.get(id);
    if (!text) {
      this.live.clear(); // one answer at a time: any other is void
      text = new LiveText();
      this.live.set(id, text);
      this.voided = false;
      this.changed('record');
    }
    this.changed('live');
    if (event.name === 'message.snapshot') {
      text.set(event.data.kind, event.data.text);
      return true;
    }
    return text.add(event.data.kind, event.data.offset, event.data.text);
  }

  /** Drops streamed text: no delta can extend it, and text that is still streaming is sent again in full. */
  forget(): void {
    if (!this.live.size) return;
    this.live.clear();
    this.changed('record');
  }

  get queued(): Message[] {
    return [...this.messages.values()].filter((m) => m.status === 'queued');
  }
  get open(): Approval[] {
    return [...this.approvals.values()].filter((a) => a.approval.status === 'open').map((a) => a.approval);
  }
}

/** Whether an event belongs to the session: events name it in their body. */
function belongs(id: string, data: unknown): boolean {
  const d = (data ?? {}) as Record<string, { id?: string; session_id?: string } | string | undefined>;
  const of = (name: string) => (typeof d[name] === 'object' ? d[name] : undefined);
  return (
    (d.session_id ??
      of('session')?.id ??
      of('message')?.session_id ??
      of('execution')?.session_id ??
      of('approval')?.session_id) === id
  );
}
