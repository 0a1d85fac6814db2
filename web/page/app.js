// The page: it wires the stream of events to what is shown, and what people do to
// calls of the API. Each part is in lib/ (without looks) or views/ (with).
import { Announcer } from './lib/announce.js';
import { call, getKey, setKey } from './lib/api.js';
import { Chats } from './lib/chats.js';
import { Conversation } from './lib/conversation.js';
import { frame } from './lib/dom.js';
import { fill, other, setLang, t } from './lib/i18n.js';
import { Outbox } from './lib/outbox.js';
import { Stream } from './lib/stream.js';
import { Composer, draftOf, keepDraft } from './views/composer.js';
import * as dialogs from './views/dialogs.js';
import * as menu from './views/menu.js';
import * as messages from './views/messages.js';
import * as net from './views/net.js';
import * as phase from './views/phase.js';
import * as problems from './views/problems.js';
import * as record from './views/record.js';
import * as sessionList from './views/sessions.js';
import * as signin from './views/signin.js';

const $ = (id) => document.getElementById(id);
const chats = new Chats();
let open = null; // the Conversation that is shown
let stick = true; // the record follows what is new

const announcer = new Announcer($('announce'));
const paint = frame(render);

// ---- what is shown ------------------------------------------------------------

function render() {
  sessionList.render($('sessions'), chats.all, open?.id, draftOf);
  $('no-sessions').hidden = chats.all.size > 0 || !chats.loaded;
  $('more').hidden = !chats.cursor;
  $('title').textContent = open ? (open.session ? sessionList.nameOf(open.session) : t('app.loading')) : t('app.new');
  $('head-buttons').hidden = !open?.session;
  $('welcome').hidden = !!open;
  $('older').hidden = !open?.dropped;
  if (open?.dropped) $('older').textContent = t('app.older', { n: open.messages.size });
  $('signout').hidden = !getKey();
  record.render(open, { answer, grown: (id, text) => announcer.grow(id, text) });
  phase.render(open, steer);
  composer.render(open, open ? outbox.items : []);
  const n = chats.waiting.size;
  document.title = `${n ? `(${n}) ` : ''}${open?.session ? `${sessionList.nameOf(open.session)} – ` : ''}Fermata`;
  if (stick) $('record').scrollTop = $('record').scrollHeight;
}

// ---- what comes from the server -------------------------------------------------

const stream = new Stream({
  onEvent: take,
  onOpen() {
    net.found();
    for (const code of ['unreachable', 'unavailable']) problems.clear(code);
    open?.doubt();
    const conversation = open;
    // Text that nobody has confirmed by then was discarded while nobody listened.
    setTimeout(() => { conversation?.forget(); paint(); }, 3000);
    if (open && !open.session) load(open);
    if (open) outbox.flush();
  },
  onLost: (since) => net.lost(since),
  async onProblem(problem) {
    if (problem.status === 404) return gone(problem);
    await signin.ask();
    stream.again(0);
    if (open) load(open);
  },
});

function take(name, seq, data) {
  if (name === 'snapshot') return void loadAll(data);
  if (name === 'notice') notice(data);
  if (data.session && ['session.created', 'session.status', 'session.ended'].includes(name)) chats.keep(data.session);
  if (data.approval) watchApproval(name, data.approval);
  if (name === 'queue.changed') open?.queue(data.data);
  if (open && !open.apply(name, seq, data)) stream.resync();
  if (open && name === 'message.created' && data.message.session_id === open.id && data.message.sender === 'AI') {
    announcer.finish(data.message.id, messages.textOf(data.message));
  }
  paint();
}

// notice shows what the record of the open chat does not say by itself.
function notice(data) {
  if (data.session_id !== open?.id) problems.notice(data, chats.all.get(data.session_id)?.name);
  else if (data.level !== 'error' && !['limit_reached', 'session_timeout'].includes(data.code)) problems.notice(data);
}

function watchApproval(name, a) {
  chats.watch(a);
  if (name === 'approval.requested' && a.session_id === open?.id) {
    announcer.say(a.kind === 'actions' ? t('approval.title', { n: a.actions.length }) : t('question.title'));
  }
}

async function loadAll(snapshot) {
  if (snapshot?.approvals) chats.waiting = new Set(snapshot.approvals.map((a) => a.id));
  try {
    await chats.load();
    if (open?.session) chats.keep(open.session);
    if (open) await load(open);
  } catch (problem) {
    refused(problem);
  }
  paint();
}

async function load(conversation) {
  const begins = !conversation.session;
  try {
    const asked = await conversation.read((messagesRead) => {
      for (const m of messagesRead) if (m.sender === 'AI') announcer.finish(m.id, messages.textOf(m), true);
    });
    chats.waiting = new Set(asked.map((a) => a.id));
    chats.keep(conversation.session);
    if (begins) stick = true;
  } catch (problem) {
    if (conversation !== open) return;
    if (problem.status === 404) gone(problem);
    else if (problem.status === 401 || problem.status < 500 && problem.status > 0) refused(problem);
    else setTimeout(() => conversation === open && load(conversation), 2000); // the bar says it
  }
  paint();
}

// gone: the open chat was deleted, here or elsewhere.
function gone(problem) {
  if (open) chats.all.delete(open.id);
  problems.show(problem);
  location.hash = '';
  if (!open) stream.watch(null);
}

// refused shows a problem; without credentials it asks for them instead.
function refused(problem) {
  if (problem.status === 401) stream.handlers.onProblem(problem);
  else problems.show(problem);
}

// ---- what people do ---------------------------------------------------------------

const outbox = new Outbox({
  changed: paint,
  stored(receipt) {
    if (receipt.session) chats.keep(receipt.session);
    // The stream may have been faster, and know more.
    if (open && receipt.message?.session_id === open.id && !open.messages.has(receipt.message.id)) open.apply('message.created', receipt.event_seq, { message: receipt.message });
    paint();
  },
  failed(problem) {
    // What is tried again by itself is shown on its chip and by the bar.
    if (['unreachable', 'unavailable', 'db_busy'].includes(problem.code)) setTimeout(() => outbox.flush(), 3000);
    else refused(problem);
  },
});

const composer = new Composer({ send, withdraw, outbox });

async function send(text, ifBusy) {
  stick = true;
  if (open) return void outbox.add(open.id, text, ifBusy);
  keepDraft(null, text); // until there is a chat for it
  try {
    const session = await chats.create(text);
    keepDraft(null, '');
    show(session.id);
    history.replaceState(null, '', `#${session.id}`);
    // An answer is only streamed to who listens when it begins.
    await stream.whenOpen(1500);
    outbox.add(session.id, text, '');
  } catch (problem) {
    composer.putBack(text);
    refused(problem);
  }
}

async function withdraw(message) {
  const text = message.rich_content?.linear_text ?? message.text_content ?? '';
  try {
    await call('DELETE', `/v1/sessions/${message.session_id}/messages/${message.id}`);
    open?.messages.delete(message.id);
    composer.putBack(text);
    announcer.say(t('queued.withdrawn'));
  } catch (problem) {
    refused(problem);
  }
  paint();
}

async function answer(approval, body) {
  try {
    const receipt = await call('POST', `/v1/approvals/${approval.id}`, { body });
    if (receipt.approval && open) open.apply('approval.settled', receipt.event_seq, { approval: receipt.approval });
    chats.waiting.delete(approval.id);
    paint();
  } catch (problem) {
    refused(problem);
    if (problem.status === 409 && open) load(open); // the page was behind: show what is
    throw problem;
  }
}

async function steer(name) {
  try {
    const receipt = await call('POST', `/v1/sessions/${open.id}/${name}`);
    chats.keep(receipt.session);
  } catch (problem) {
    // It ended by itself in the meantime: that is what was wanted.
    if (!(name === 'interrupt' && problem.code === 'wrong_phase')) refused(problem);
  }
}

// ---- moving about -------------------------------------------------------------------

function show(id) {
  if (open?.id === id || (!open && !id)) return;
  open = id ? new Conversation(id) : null;
  stick = true;
  if (open) {
    load(open);
    outbox.open(id);
  }
  composer.open(id);
  stream.watch(id);
  menu.show(false);
  paint();
}

function route() {
  const id = location.hash.slice(1);
  show(/^ses_\w+/.test(id) ? id : null);
  if (id === 'text') history.replaceState(null, '', open ? `#${open.id}` : ' ');
}

window.addEventListener('hashchange', route);
$('skip').addEventListener('click', (event) => { event.preventDefault(); composer.field.focus(); });
$('new').addEventListener('click', (event) => { event.preventDefault(); location.hash = ''; menu.show(false); composer.field.focus(); });
$('record').addEventListener('scroll', () => {
  const r = $('record');
  stick = r.scrollHeight - r.scrollTop - r.clientHeight < 60;
});
$('more').addEventListener('click', () => chats.load(true).then(paint, refused));
$('lang').addEventListener('click', () => { setLang(other()); speak(); paint(); });
$('signout').addEventListener('click', () => { setKey(null); location.reload(); });
$('rename').addEventListener('click', async () => {
  const name = await dialogs.rename(open.session);
  if (name === null || !open) return;
  try {
    open.session = await call('PATCH', `/v1/sessions/${open.id}`, { body: { name } });
    chats.keep(open.session);
  } catch (problem) { refused(problem); }
  paint();
});
$('delete').addEventListener('click', async () => {
  const { id, session } = open;
  if (!await dialogs.confirmDelete(session)) return;
  try {
    await call('DELETE', `/v1/sessions/${id}`);
    keepDraft(id, '');
    chats.all.delete(id);
    location.hash = '';
  } catch (problem) { refused(problem); }
  paint();
});

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || document.querySelector('dialog[open]')) return;
  if (menu.shown()) return menu.show(false);
  if (open?.session && ['running', 'queued'].includes(open.session.status)) steer('interrupt');
});
// A hidden tab gives its connection back after a minute: a browser has six for a host.
let hide;
document.addEventListener('visibilitychange', () => {
  clearTimeout(hide);
  if (document.hidden) hide = setTimeout(() => stream.pause(), 60000);
  else { stream.resume(); paint(); }
});
setInterval(() => phase.tick(open), 1000);

function speak() {
  fill(document);
  $('lang').lang = other(); // its text is in the language that it offers
}

speak();
composer.open(null);
route();
if (!open) stream.watch(null);
paint();
