// The line that says in plain words what the session does, and since when.
import { h } from '../lib/dom.js';
import { t } from '../lib/i18n.js';

const line = document.getElementById('phase');
const words = document.getElementById('phase-words');
const clock = document.getElementById('phase-clock');
const buttons = document.getElementById('phase-buttons');
let shown = '';

// render says where the session stands. act(name) steers it: interrupt, resume, retry.
export function render(conversation, act) {
  const session = conversation?.session;
  const text = session ? phaseWords(conversation) : '';
  const can = session ? steps(conversation) : [];
  const sign = `${text}|${can.join()}|${session?.id}`;
  line.hidden = !text && !can.length;
  line.dataset.status = session?.status ?? '';
  if (sign !== shown) {
    shown = sign;
    words.textContent = text;
    buttons.replaceChildren(...can.map((name) => h('button', {
      type: 'button', class: 'small', 'data-act': name, text: t(`phase.${name === 'interrupt' ? 'stop' : name}`), onclick: () => act(name),
    })));
  }
  tick(conversation);
}

// tick moves the clock; it is hidden from screen readers, which are told the words.
export function tick(conversation) {
  const session = conversation?.session;
  const timed = session && !['idle', 'ended'].includes(session.status);
  const seconds = timed ? Math.max(0, Math.floor((Date.now() - conversation.phaseSince) / 1000)) : 0;
  const text = !timed || seconds < 1 ? '' : seconds < 60 ? t('phase.seconds', { n: seconds })
    : t('phase.minutes', { m: Math.floor(seconds / 60), s: seconds % 60 });
  if (clock.textContent !== text) clock.textContent = text;
}

function phaseWords(c) {
  const s = c.session;
  if (s.status === 'queued') return s.queue_position ? t('phase.queued', { n: s.queue_position }) : t('phase.queued.0');
  if (s.status === 'suspended') return t('phase.suspended');
  if (s.phase === 'IDLE') return '';
  if (s.phase === 'CALLING_AI') {
    const live = [...c.live.values()][0];
    if (live?.writesCommand) return t('phase.command');
    if (live?.text) return t('phase.writes');
  }
  return t(`phase.${s.phase}`);
}

function steps(c) {
  const s = c.session;
  if (s.status === 'ended') return ['resume'];
  if (s.phase !== 'IDLE') return ['interrupt'];
  const last = [...c.messages.values()].filter((m) => m.seq).sort((a, b) => b.seq - a.seq)[0];
  return ['NETWORK_ERROR', 'LIMIT_REACHED'].includes(last?.system_message?.type) && s.status === 'idle' ? ['retry'] : [];
}
