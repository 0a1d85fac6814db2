// The list of chats.
import { h, reconcile } from '../lib/dom.js';
import { lang, t, time } from '../lib/i18n.js';

export const nameOf = (session) => session.name || t('app.untitled');

// render shows the chats, pinned ones first, then by their latest event.
export function render(container, sessions, openId, draftOf) {
  const rows = [...sessions.values()]
    .sort((a, b) => (b.pinned - a.pinned) || b.last_event_time.localeCompare(a.last_event_time));
  reconcile(container, rows.map((s) => {
    const draft = s.id !== openId && draftOf(s.id) !== '';
    const sign = [lang, s.name, s.status, s.last_event_time, s.pinned, s.id === openId, draft].join('|');
    return { key: s.id, sign, make: () => row(s, s.id === openId, draft) };
  }));
}

function row(s, open, draft) {
  const status = t(`status.${s.status}`);
  return h('li', {}, h('a', {
    href: `#${s.id}`, class: 'session', 'aria-current': open ? 'page' : null, 'data-status': s.status,
  },
  h('span', { class: 'session-name' }, s.pinned ? '★ ' : '', nameOf(s), draft ? ' ✎' : ''),
  h('span', { class: 'session-meta' },
    status ? h('span', { class: `badge badge-${s.status}`, text: status }) : null,
    h('time', { datetime: s.last_event_time, text: time(s.last_event_time) }))));
}
