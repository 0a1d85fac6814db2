// The field for messages. It never locks: what is written while the session works
// waits its turn on the server, and a draft survives a reload.
import { h, reconcile } from '../lib/dom.js';
import { lang, t } from '../lib/i18n.js';

const name = (session) => `fermata.draft.${session ?? 'new'}`;

export const draftOf = (session) => localStorage.getItem(name(session)) ?? '';

export function keepDraft(session, text) {
  if (text) localStorage.setItem(name(session), text);
  else localStorage.removeItem(name(session));
}

export class Composer {
  // send(text, ifBusy), withdraw(message), outbox: its items and what can be done.
  constructor({ send, withdraw, outbox }) {
    this.send = send;
    this.withdraw = withdraw;
    this.outbox = outbox;
    this.session = null;
    this.form = document.getElementById('composer');
    this.field = document.getElementById('text');
    this.mode = document.getElementById('if-busy');
    this.form.addEventListener('submit', (event) => { event.preventDefault(); this.submit(); });
    this.field.addEventListener('input', () => this.typed());
    this.field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); this.submit(); }
    });
  }

  open(session) {
    this.session = session;
    this.field.value = draftOf(session);
    this.fit();
  }

  typed() {
    keepDraft(this.session, this.field.value);
    this.fit();
  }

  fit() {
    this.field.style.height = 'auto';
    this.field.style.height = `${Math.min(this.field.scrollHeight + 2, 240)}px`;
  }

  // set replaces the text (after a withdrawal, or a failure).
  set(text) {
    this.field.value = text;
    this.typed();
    this.field.focus();
  }

  // putBack gives a text back without losing what is being written.
  putBack(text) {
    const now = this.field.value.trim();
    this.set(now ? `${text}\n\n${now}` : text);
  }

  submit() {
    const text = this.field.value.trim();
    if (!text) return;
    const mode = this.form.dataset.mode ? this.mode.value : '';
    this.set('');
    this.send(text, mode);
  }

  // render shows what a message would do now, and those that wait.
  render(conversation, items) {
    const session = conversation?.session;
    const mode = modeOf(session);
    if (this.form.dataset.mode !== mode || this.form.dataset.lang !== lang) this.options(mode);
    this.queue(conversation?.queued ?? [], items);
  }

  options(mode) {
    const labels = { busy: ['enqueue', 'steer', 'interrupt'], wait: ['', 'enqueue'] }[mode] ?? [];
    this.form.dataset.mode = mode;
    this.form.dataset.lang = lang;
    document.getElementById('if-busy-row').hidden = !mode;
    document.getElementById('if-busy-label').textContent = mode ? t(`composer.${mode}`) : '';
    this.mode.replaceChildren(...labels.map((l) => h('option', { value: l, text: t(`composer.${mode}.${l}`) })));
  }

  queue(queued, items) {
    const list = document.getElementById('queued');
    const rows = [
      ...queued.map((m) => {
        const text = m.rich_content?.linear_text ?? m.text_content ?? '';
        return { key: m.id, sign: `${lang}|${text}`, make: () => chip(text, '', [[t('queued.withdraw'), t('queued.withdraw.this', { text: short(text) }), () => this.withdraw(m)]]) };
      }),
      ...items.map((i) => ({
        key: i.key, sign: `${lang}|${i.state}`,
        make: () => chip(i.text, t(i.state === 'failed' ? 'outbox.failed' : 'outbox.sending'), i.state === 'failed' ? [
          [t('outbox.again'), t('outbox.again'), () => this.outbox.again(i.key)],
          [t('outbox.back'), t('outbox.back'), () => { this.outbox.remove(i.key); this.putBack(i.text); }],
        ] : []),
      })),
    ];
    list.parentElement.hidden = rows.length === 0;
    reconcile(list, rows);
  }
}

// modeOf: "busy" while the session works, "wait" while it waits for the person.
function modeOf(session) {
  if (!session || session.status === 'ended' || session.phase === 'IDLE') return session?.status === 'queued' ? 'busy' : '';
  if (session.status === 'requires_action') return 'wait';
  return 'busy';
}

function chip(text, state, buttons) {
  return h('li', { class: 'chip' }, h('span', { class: 'chip-text', title: text, text: short(text) }),
    state ? h('span', { class: 'muted small', text: state }) : null,
    buttons.map(([label, full, act]) => h('button', { type: 'button', class: 'plain small', 'aria-label': full, text: label, onclick: act })));
}

const short = (text) => (text.length > 80 ? `${text.slice(0, 79)}…` : text);
