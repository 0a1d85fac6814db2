// The one event stream of the page. The browser's EventSource gives up after any HTTP
// error (a restart behind a proxy is enough), so the connection is made again by this
// code, always with the number of the last event that was received.
import { call, getKey } from './api.js';

const names = [
  'snapshot', 'reset', 'bye',
  'session.phase', 'session.created', 'session.status', 'session.ended',
  'message.created', 'message.updated', 'message.deleted',
  'message.delta', 'message.discarded', 'message.snapshot',
  'command.planned', 'command.started', 'command.ended',
  'approval.requested', 'approval.settled',
  'slot.changed', 'queue.changed', 'data.changed', 'notice',
];
const passing = new Set(['message.delta', 'message.discarded', 'message.snapshot', 'bye', 'reset']);

export class Stream {
  // onEvent(name, seq, data), onOpen(), onLost(since), onProblem(problem).
  constructor(handlers) {
    this.handlers = handlers;
    this.session = null;
    this.cursor = null;
    this.source = null;
    this.attempt = 0;
    this.turn = 0; // whoever is not of the present turn is void
    this.lostSince = null;
    this.paused = false;
    window.addEventListener('online', () => this.again(0));
  }

  // watch turns to a session (null: only the workspace). The cursor is kept: what
  // happened in between is replayed.
  watch(session) {
    this.session = session;
    this.again(0);
  }

  // resync connects again when streamed text is missing: joining anew gives the whole.
  resync() {
    if (performance.now() - (this.resynced ?? -Infinity) < 2000) return;
    this.resynced = performance.now();
    this.again(0);
  }

  // whenOpen waits for the connection, but not for ever.
  whenOpen(ms) {
    return new Promise((done) => {
      this.opened = done;
      setTimeout(done, ms);
    });
  }

  pause() {
    this.paused = true;
    this.close();
  }

  resume() {
    if (!this.paused) return;
    this.paused = false;
    this.again(0);
  }

  close() {
    this.turn++;
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }

  // again makes the connection anew after a delay in milliseconds.
  again(delay) {
    if (this.paused) return;
    this.close();
    const turn = this.turn;
    this.timer = setTimeout(() => this.connect(turn), delay);
  }

  async connect(turn) {
    const query = new URLSearchParams();
    if (this.session) query.set('sessions', this.session);
    if (this.cursor !== null) query.set('after', this.cursor);
    try {
      // EventSource cannot send the key, so it is exchanged for a ticket of one use.
      if (getKey()) query.set('ticket', (await call('POST', '/v1/stream-tickets')).ticket);
    } catch (problem) {
      if (turn === this.turn) this.failed(problem);
      return;
    }
    if (turn !== this.turn) return;
    const source = new EventSource(`/v1/events/stream?${query}`);
    this.source = source;
    source.onopen = () => {
      if (turn !== this.turn) return;
      this.attempt = 0;
      this.lostSince = null;
      this.handlers.onOpen();
      this.opened?.();
    };
    source.onerror = () => turn === this.turn && this.lost(source.readyState === EventSource.CLOSED);
    for (const name of names) {
      source.addEventListener(name, (event) => turn === this.turn && this.take(name, event));
    }
  }

  take(name, event) {
    let data;
    try { data = JSON.parse(event.data); } catch { return; }
    const seq = passing.has(name) ? 0 : Number(event.lastEventId) || 0;
    if (name === 'reset') this.cursor = null;
    this.handlers.onEvent(name, seq, data);
    // The cursor moves once the event is applied: a failure in between repeats it.
    if (seq > 0) this.cursor = seq;
    if (name === 'bye') {
      this.lose();
      this.again(200 + Math.random() * 300);
    }
  }

  // lost is called when the connection broke. After an HTTP error EventSource does not
  // say which one, so a plain call asks.
  async lost(byStatus) {
    this.lose();
    this.close();
    const turn = this.turn;
    if (byStatus) {
      try {
        await call('GET', this.session ? `/v1/sessions/${this.session}` : '/v1/sessions?limit=1');
      } catch (problem) {
        if (turn === this.turn) this.failed(problem);
        return;
      }
    }
    if (turn === this.turn) this.again(this.delay());
  }

  failed(problem) {
    if (problem.status === 401 || problem.status === 404) {
      this.close();
      this.handlers.onProblem(problem);
      return;
    }
    this.lose();
    this.again(Math.max(this.delay(), (problem.retryAfter ?? 0) * 1000));
  }

  lose() {
    this.lostSince ??= performance.now();
    this.handlers.onLost(this.lostSince);
  }

  delay() {
    const most = Math.min(10000, 200 * 2 ** this.attempt++);
    return most * (0.5 + Math.random() / 2);
  }
}
