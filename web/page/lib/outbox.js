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
    try { this.items = JSON.parse(localStorage.getItem(name(session)) ?? '[]'); } catch { /* unreadable: begin anew */ }
    for (const item of this.items) item.state = 'failed';
    this.flush();
  }

  add(text, ifBusy) {
    this.items.push({ key: newKey(), text, ifBusy, at: Date.now(), state: 'waiting' });
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
    if (this.items.length) localStorage.setItem(name(this.session), JSON.stringify(this.items));
    else localStorage.removeItem(name(this.session));
    this.changed();
  }

  // flush sends what waits, in order. It is called again when the connection is back.
  async flush() {
    if (this.busy) return;
    this.busy = true;
    try {
      let item;
      while ((item = this.items[0]) && Date.now() - item.at < fresh) {
        if (!await this.send(this.session, item)) return;
      }
    } finally {
      this.busy = false;
    }
  }

  async send(session, item) {
    item.state = 'sending';
    this.changed();
    try {
      const body = { text: item.text, ...(item.ifBusy ? { if_busy: item.ifBusy } : {}) };
      const receipt = await call('POST', `/v1/sessions/${session}/messages`, { body, idempotencyKey: item.key });
      if (session !== this.session) { forget(session, item.key); return false; }
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

function forget(session, key) {
  try {
    const left = JSON.parse(localStorage.getItem(name(session)) ?? '[]').filter((i) => i.key !== key);
    if (left.length) localStorage.setItem(name(session), JSON.stringify(left));
    else localStorage.removeItem(name(session));
  } catch { /* nothing to forget */ }
}
