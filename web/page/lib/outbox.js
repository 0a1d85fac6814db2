// Messages on their way. Each is kept in the browser until the server has said that it
// is stored, and is sent with one Idempotency-Key: however often it is tried, it
// arrives once.
import { call, newKey } from './api.js';

const name = (session) => `fermata.outbox.${session}`;
const fresh = 15 * 60 * 1000; // older ones are only sent again when the person says so

export class Outbox {
  // changed() is called when the list did; stored(receipt) when a message arrived.
  constructor({ changed, stored, failed }) {
    Object.assign(this, { changed, stored, failed });
    this.session = null;
    this.items = [];
    this.busy = false;
  }

  open(session) {
    this.session = session;
    this.items = [];
    this.items = kept(session);
    for (const item of this.items) item.state = 'failed';
    this.flush();
  }

  // add takes a message for a session. If another one was opened meanwhile, it is kept
  // and sent when its session is opened again.
  add(session, text, ifBusy) {
    const item = { key: newKey(), text, ifBusy, at: Date.now(), state: 'waiting' };
    if (session !== this.session) return keep(session, [...kept(session), item]);
    this.items.push(item);
    this.save();
    this.flush();
  }

  remove(key) {
    this.items = this.items.filter((i) => i.key !== key);
    this.save();
  }

  again(key) {
    const item = this.items.find((i) => i.key === key);
    if (item) item.at = Date.now();
    this.flush();
  }

  save() {
    keep(this.session, this.items);
    this.changed();
  }

  // flush sends what waits, in order. It is called again when the connection is back.
  async flush() {
    if (this.busy) return;
    this.busy = true;
    const { session } = this;
    try {
      let item;
      while ((item = this.items[0]) && Date.now() - item.at < fresh) {
        if (!await this.send(session, item)) return;
      }
    } finally {
      this.busy = false;
      if (session !== this.session) this.flush();
    }
  }

  async send(session, item) {
    item.state = 'sending';
    this.changed();
    try {
      const body = { text: item.text, ...(item.ifBusy ? { if_busy: item.ifBusy } : {}) };
      const receipt = await call('POST', `/v1/sessions/${session}/messages`, { body, idempotencyKey: item.key });
      if (session !== this.session) { keep(session, kept(session).filter((i) => i.key !== item.key)); return false; }
      this.remove(item.key);
      this.stored(receipt);
      return true;
    } catch (problem) {
      item.state = 'failed';
      // What the server refused for good would only be refused again.
      if (problem.status >= 400 && problem.status < 500 && problem.status !== 429 && problem.code !== 'idempotency_in_progress') item.at = 0;
      if (session === this.session) { this.save(); this.failed(problem); }
      return false;
    }
  }
}

function kept(session) {
  try { return JSON.parse(localStorage.getItem(name(session)) ?? '[]'); } catch { return []; }
}

function keep(session, items) {
  if (items.length) localStorage.setItem(name(session), JSON.stringify(items));
  else localStorage.removeItem(name(session));
}
