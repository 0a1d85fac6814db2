// The page: it wires the stream of events to what is shown, and what people do to
// calls of the API. Each part is in lib/ (without looks) or views/ (with).
import { all, call, getKey, setKey } from './lib/api.js';
import { Announcer } from './lib/announce.js';
import { Conversation } from './lib/conversation.js';
import { frame, reconcile } from './lib/dom.js';
import { fill, lang, other, setLang, t } from './lib/i18n.js';
import { Outbox } from './lib/outbox.js';
import { Stream } from './lib/stream.js';
import * as approvals from './views/approvals.js';
import { Composer, draftOf, keepDraft } from './views/composer.js';
import * as dialogs from './views/dialogs.js';
import * as messages from './views/messages.js';
import * as net from './views/net.js';
import * as phase from './views/phase.js';
import * as problems from './views/problems.js';
import * as sessionList from './views/sessions.js';
import * as signin from './views/signin.js';

const $ = (id) => document.getElementById(id);
const most = 500; // messages shown at once; older ones stay on the server
const sessions = new Map();
let sessionsCursor = null;
let open = null; // the Conversation that is shown
let waiting = new Set(); // approvals that are open anywhere in the workspace
let stick = true; // the record follows what is new

const announcer = new Announcer($('announce'));
const paint = frame(render);

// ---- what is shown ------------------------------------------------------------

function render() {
  sessionList.render($('sessions'), sessions, open?.id, draftOf);
  $('no-sessions').hidden = sessions.size > 0 || !loadedOnce;
  $('more').hidden = !sessionsCursor;
  $('title').textContent = open ? (open.session ? sessionList.nameOf(open.session) : t('app.loading')) : t('app.new');
  $('head-buttons').hidden = !open?.session;
  $('welcome').hidden = !!open;
  $('older').hidden = !open?.dropped;
  if (open?.dropped) $('older').textContent = t('app.older', { n: most });
  $('signout').hidden = !getKey();
  renderTimeline();
  phase.render(open, steer);
  composer.render(open, open ? outbox.items : []);
  const n = waiting.size;
  document.title = `${n ? `(${n}) ` : ''}${open?.session ? `${sessionList.nameOf(open.session)} – ` : ''}Fermata`;
  if (stick) $('record').scrollTop = $('record').scrollHeight;
}

function renderTimeline() {
  const items = open?.session ? open.timeline() : [];
  reconcile($('timeline'), items.map((item) => ({
    key: item.key, sign: `${lang}|${item.kind}|${signOf(item)}`, make: () => make(item),
  })));
  for (const item of items) {
    if (item.kind !== 'live') continue;
    messages.grow($('timeline').querySelector(`[data-key="${CSS.escape(item.key)}"]`), item.text);
    announcer.grow(item.key, messages.readable(item.text.text));
  }
}

function signOf(item) {
  switch (item.kind) {
    case 'message': return `${item.message.status}|${item.message.seq}`;
    case 'approval': return `${item.approval.status}|${item.approval.actions.map((a) => a.digest).join()}`;
    case 'running': return item.executions.map((e) => e.id + e.status).join();
    default: return '';
  }
}

function make(item) {
  switch (item.kind) {
    case 'message': return messages.message(item.message, open.executions);
    case 'approval': return approvals.approval(item.approval, (body) => answer(item.approval, body));
    case 'running': return messages.running(item.executions);
    default: return messages.live();
  }
}

// ---- what comes from the server -------------------------------------------------

let loadedOnce = false;

const stream = new Stream({
  onEvent: take,
  onOpen() {
    net.found();
    problems.clear('unreachable');
    problems.clear('unavailable');
    open?.doubt();
    const conversation = open;
    // Text that nobody has confirmed by then was discarded while nobody listened.
    setTimeout(() => { conversation?.forget(); paint(); }, 3000);
    if (open) outbox.flush();
    stream.opened?.();
  },
  onLost: (since) => net.lost(since),
  async onProblem() {
    await signin.ask();
    stream.again(0);
    if (open) load(open);
  },
});

function take(name, seq, data) {
  if (name === 'snapshot') return void loadAll(data);
  if (name === 'notice') problems.notice(data);
  if (data.session && ['session.created', 'session.status', 'session.ended'].includes(name)) keep(data.session);
  if (data.approval) watchApproval(name, data.approval);
  if (open && !open.apply(name, seq, data)) resync();
  if (open && name === 'message.created' && data.message.session_id === open.id && data.message.sender === 'AI') {
    announcer.finish(data.message.id, messages.textOf(data.message));
  }
  paint();
}

// resync connects again when streamed text is missing: joining anew gives the whole.
let resynced = 0;
function resync() {
  if (performance.now() - resynced < 2000) return;
  resynced = performance.now();
  stream.again(0);
}

function keep(session) {
  if (session.type !== 'CHAT') return;
  const known = sessions.get(session.id);
  if (!known || known.last_seq <= session.last_seq) sessions.set(session.id, session);
}

function watchApproval(name, a) {
  if (a.status === 'open') waiting.add(a.id);
  else waiting.delete(a.id);
  if (name === 'approval.requested' && a.session_id === open?.id) {
    announcer.say(a.kind === 'actions' ? t('approval.title', { n: a.actions.length }) : t('question.title'));
  }
}

async function loadAll(snapshot) {
  if (snapshot?.approvals) waiting = new Set(snapshot.approvals.map((a) => a.id));
  try {
    await loadSessions();
    if (open) await load(open);
  } catch (problem) {
    refused(problem);
  }
  paint();
}

async function loadSessions(more = false) {
  const page = await call('GET', `/v1/sessions?type=CHAT&limit=50${more && sessionsCursor ? `&after=${encodeURIComponent(sessionsCursor)}` : ''}`);
  if (!more) sessions.clear();
  for (const s of page.data) sessions.set(s.id, s);
  if (open?.session) sessions.set(open.id, open.session);
  sessionsCursor = page.next_cursor;
  loadedOnce = true;
}

// load reads a conversation. Events that come meanwhile are kept and applied after.
async function load(conversation) {
  conversation.reload();
  try {
    const session = await call('GET', `/v1/sessions/${conversation.id}`);
    const [record, asked] = await Promise.all([
      all(`/v1/sessions/${conversation.id}/messages`, { most: 5000 }),
      all('/v1/approvals?status=open'),
    ]);
    if (conversation !== open) return;
    const shown = record.slice(-most);
    for (const m of shown) if (m.sender === 'AI') announcer.finish(m.id, messages.textOf(m), true);
    waiting = new Set(asked.map((a) => a.id));
    const first = !conversation.session;
    if (!conversation.load(session, shown, asked.filter((a) => a.session_id === conversation.id), record.length - shown.length)) resync();
    if (first) stick = true;
    keep(session);
  } catch (problem) {
    if (conversation !== open) return;
    if (problem.status === 404) {
      sessions.delete(conversation.id);
      location.hash = '';
    }
    refused(problem);
  }
  paint();
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
    if (receipt.session) keep(receipt.session);
    if (open && receipt.message?.session_id === open.id) open.apply('message.created', receipt.event_seq, { message: receipt.message });
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
  if (open) return void outbox.add(text, ifBusy);
  try {
    const name = text.split('\n')[0].slice(0, 60);
    const session = await call('POST', '/v1/sessions', { body: { name }, idempotencyKey: newChatKey(text) });
    keep(session);
    show(session.id);
    history.replaceState(null, '', `#${session.id}`);
    // An answer is only streamed to who listens when it begins.
    await connected(1500);
    outbox.add(text, '');
  } catch (problem) {
    composer.putBack(text);
    refused(problem);
  }
}

// newChatKey stays the same for the same text until a chat was made of it, so that a
// second try after a lost reply does not make a second chat.
let chatKey = { text: null, key: null };
function newChatKey(text) {
  if (chatKey.text !== text) chatKey = { text, key: `new-chat-${Date.now()}-${Math.random().toString(36).slice(2)}` };
  return chatKey.key;
}

function connected(ms) {
  return new Promise((done) => {
    stream.opened = done;
    setTimeout(done, ms);
  });
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
    waiting.delete(approval.id);
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
    keep(receipt.session);
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
  menu(false);
  paint();
}

function route() {
  const id = location.hash.slice(1);
  show(/^ses_\w+/.test(id) ? id : null);
  if (id === 'text') history.replaceState(null, '', open ? `#${open.id}` : ' ');
}

function menu(shown) {
  document.body.classList.toggle('menu', shown);
  $('side-open').setAttribute('aria-expanded', String(shown));
  if (shown) $('new').focus();
}

window.addEventListener('hashchange', route);
$('skip').addEventListener('click', (event) => { event.preventDefault(); composer.field.focus(); });
$('new').addEventListener('click', (event) => { event.preventDefault(); location.hash = ''; menu(false); composer.field.focus(); });
$('side-open').addEventListener('click', () => menu(true));
$('side-close').addEventListener('click', () => { menu(false); $('side-open').focus(); });
$('record').addEventListener('scroll', () => {
  const r = $('record');
  stick = r.scrollHeight - r.scrollTop - r.clientHeight < 60;
});
$('more').addEventListener('click', () => loadSessions(true).then(paint, refused));
$('lang').addEventListener('click', () => { setLang(other()); fill(document); paint(); });
$('signout').addEventListener('click', () => { setKey(null); location.reload(); });
$('rename').addEventListener('click', async () => {
  const name = await dialogs.rename(open.session);
  if (name === null || !open) return;
  try {
    open.session = await call('PATCH', `/v1/sessions/${open.id}`, { body: { name } });
    keep(open.session);
  } catch (problem) { refused(problem); }
  paint();
});
$('delete').addEventListener('click', async () => {
  const { id, session } = open;
  if (!await dialogs.confirmDelete(session)) return;
  try {
    await call('DELETE', `/v1/sessions/${id}`);
    keepDraft(id, '');
    sessions.delete(id);
    location.hash = '';
  } catch (problem) { refused(problem); }
  paint();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || document.querySelector('dialog[open]')) return;
  if (document.body.classList.contains('menu')) { menu(false); $('side-open').focus(); return; }
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

fill(document);
composer.open(null);
route();
if (!open) stream.watch(null);
paint();
