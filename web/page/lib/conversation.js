// What the page knows of the open session. It is filled by a load and moved on by
// events; an event that is already contained, or that comes twice, changes nothing.
import { all, call } from './api.js';
import { LiveText } from './text.js';

const most = 500; // messages kept at once; older ones stay on the server

// Phases in which the AI may be writing.
const writing = new Set(['CALLING_AI', 'PARSING_AI_RESPONSE', 'COMPACTING_CONTEXT']);

export class Conversation {
  constructor(id) {
    this.id = id;
    this.session = null;
    this.messages = new Map();
    this.executions = new Map();
    this.approvals = new Map(); // id -> {approval, seq}
    this.live = new Map(); // message id -> LiveText
    this.phaseSince = Date.now();
    this.dropped = 0; // messages too many to show
    this.loadedSeq = 0;
    this.buffer = []; // events that came while loading
    this.loading = null;
    this.again = false;
  }

  // read reads all of it from the server: one reading at a time, and once more when it
  // was asked for meanwhile. read.first is called with the messages before they are
  // shown. It gives all questions that are open in the workspace.
  async read(first) {
    this.again = this.loading !== null;
    this.loading ??= this.readOnce(first).finally(() => { this.loading = null; });
    const asked = await this.loading;
    return this.again ? this.read(first) : asked;
  }

  async readOnce(first) {
    this.buffer ??= [];
    // The session first: every event up to its last_seq is contained in what follows.
    const session = await call('GET', `/v1/sessions/${this.id}`);
    const [record, asked] = await Promise.all([
      all(`/v1/sessions/${this.id}/messages`, most), all('/v1/approvals?status=open'),
    ]);
    first(record.rows);
    this.load(session, record.rows, asked.rows.filter((a) => a.session_id === this.id), record.dropped);
    return asked.rows;
  }

  // load takes what was read, then the events that came meanwhile.
  load(session, messages, approvals, dropped) {
    this.session = session;
    this.loadedSeq = session.last_seq;
    this.dropped = dropped;
    this.phaseSince = Math.min(Date.now(), Date.parse(session.last_event_time) || Date.now());
    this.messages = new Map(messages.map((m) => [m.id, m]));
    for (const [id, known] of this.approvals) if (known.approval.status === 'open') this.approvals.delete(id);
    for (const a of approvals) this.approvals.set(a.id, { approval: a, seq: Infinity });
    for (const id of [...this.live.keys()]) if (this.messages.has(id)) this.live.delete(id);
    const late = this.buffer ?? [];
    this.buffer = null;
    for (const args of late) this.apply(...args);
  }

  // apply moves on by one event. False: streamed text is missing, connect again.
  apply(name, seq, data) {
    if (!belongs(this.id, data)) return true;
    if (name === 'message.delta' || name === 'message.snapshot' || name === 'message.discarded') {
      return this.stream(name, data);
    }
    if (this.buffer) { this.buffer.push([name, seq, data]); return true; }
    if (seq <= this.loadedSeq) return true;
    switch (name) {
      case 'session.phase': this.enter(data); break;
      case 'session.created': case 'session.status': case 'session.ended': this.session = data.session; break;
      case 'message.created': case 'message.updated': this.store(data.message); break;
      case 'message.deleted': this.messages.delete(data.message.id); break;
      case 'command.planned': case 'command.started': case 'command.ended':
        this.executions.set(data.execution.id, data.execution); break;
      case 'approval.requested': case 'approval.settled': {
        // It stands where it was asked; of one that was open before the load only the
        // answer's place is known.
        const known = this.approvals.get(data.approval.id)?.seq ?? Infinity;
        this.approvals.set(data.approval.id, { approval: data.approval, seq: Math.min(known, seq) });
        break;
      }
    }
    return true;
  }

  enter(data) {
    if (this.session.phase !== data.phase) this.phaseSince = Date.now();
    this.session = { ...this.session, phase: data.phase, status: data.status, round_id: data.round_id };
    if (!writing.has(data.phase)) this.live.clear();
  }

  // queue takes the workspace's queue: where this session stands in it.
  queue(rows) {
    if (!this.session) return;
    const row = rows.find((r) => r.session_id === this.id);
    this.session = { ...this.session, queue_position: row?.position ?? null };
  }

  store(message) {
    this.messages.set(message.id, message);
    this.live.delete(message.id);
  }

  stream(name, data) {
    if (name === 'message.discarded') { this.live.delete(data.message_id); return true; }
    if (this.messages.has(data.message_id)) return true; // late text of a finished message
    let text = this.live.get(data.message_id);
    if (!text) {
      this.live.clear(); // one answer at a time: another one is void
      this.live.set(data.message_id, text = new LiveText());
    }
    if (name === 'message.snapshot') { text.set(data.kind, data.text); return true; }
    return text.add(data.kind, data.offset, data.text);
  }

  // doubt marks the streamed text as unheard of since a reconnection; forget drops what
  // still is: its message.discarded may have passed while nobody listened.
  doubt() { for (const text of this.live.values()) text.confirmed = false; }

  forget() { for (const [id, text] of this.live) if (!text.confirmed) this.live.delete(id); }

  get queued() { return [...this.messages.values()].filter((m) => m.status === 'queued'); }
  get open() { return [...this.approvals.values()].filter((a) => a.approval.status === 'open').map((a) => a.approval); }

  // timeline is what the record shows, in order: {kind, key, seq, ...}.
  timeline() {
    const hidden = new Set([...this.approvals.values()].map((a) => a.approval.cancel_message_id).filter(Boolean));
    const reported = new Set();
    const items = [];
    for (const m of this.messages.values()) {
      for (const r of m.system_message?.command_results ?? []) if (r.execution_id) reported.add(r.execution_id);
      if (m.status === 'queued' || hidden.has(m.id)) continue;
      items.push({ kind: 'message', key: m.id, seq: m.seq ?? Infinity, message: m });
    }
    for (const { approval, seq } of this.approvals.values()) {
      items.push({ kind: 'approval', key: approval.id, seq: approval.status === 'open' ? Infinity : seq, approval });
    }
    items.sort((a, b) => (a.seq === b.seq ? 0 : a.seq - b.seq));
    for (const [id, text] of this.live) items.push({ kind: 'live', key: id, text });
    const running = [...this.executions.values()].filter((e) => !reported.has(e.id) && e.kind !== 'control'
      && e.round_id === this.session?.round_id && ['APPROVED', 'STARTED'].includes(e.status));
    if (running.length) items.push({ kind: 'running', key: 'running', executions: running });
    return items;
  }
}

// belongs says whether an event is about the session: events name it in their body.
function belongs(id, data) {
  const of = data.session_id ?? data.session?.id ?? data.message?.session_id
    ?? data.execution?.session_id ?? data.approval?.session_id;
  return of === id;
}
