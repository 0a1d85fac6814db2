// The chats of the workspace, and the questions that are open anywhere in it.
import { call, newKey } from './api.js';

export class Chats {
  constructor() {
    this.all = new Map();
    this.waiting = new Set(); // ids of open approvals
    this.cursor = null;
    this.loaded = false;
    this.pending = null; // {text, key} of a chat that is being made
  }

  // create makes a chat named after its first message. For the same text the key stays
  // the same until it worked, so that a second try after a lost reply makes no second
  // chat.
  async create(text) {
    if (this.pending?.text !== text) this.pending = { text, key: newKey() };
    const name = text.split('\n')[0].slice(0, 60);
    const session = await call('POST', '/v1/sessions', { body: { name }, idempotencyKey: this.pending.key });
    this.pending = null;
    this.keep(session);
    return session;
  }

  // load reads the newest chats; more reads the next page of older ones.
  async load(more = false) {
    const after = more && this.cursor ? `&after=${encodeURIComponent(this.cursor)}` : '';
    const page = await call('GET', `/v1/sessions?type=CHAT&limit=50${after}`);
    if (!more) this.all.clear();
    for (const s of page.data) this.all.set(s.id, s);
    this.cursor = page.next_cursor;
    this.loaded = true;
  }

  // keep takes a newer state of a session.
  keep(session) {
    if (session.type !== 'CHAT') return;
    const known = this.all.get(session.id);
    if (!known || known.last_seq <= session.last_seq) this.all.set(session.id, session);
  }

  // watch takes an approval.
  watch(approval) {
    if (approval.status === 'open') this.waiting.add(approval.id);
    else this.waiting.delete(approval.id);
  }
}
