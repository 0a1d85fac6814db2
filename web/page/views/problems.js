// Errors and notices: what happened, what became of it, what to do, and the number to
// quote.
import { h } from '../lib/dom.js';
import { has, t } from '../lib/i18n.js';

const region = () => document.getElementById('problems');

// show puts up a problem until it is closed.
export function show(problem) {
  if (problem.name === 'AbortError') return;
  if (!('code' in problem)) {
    console.error(problem);
  }
  const code = problem.code ?? 'internal';
  const known = has(`code.${code}`);
  const rest = known ? problem.detail : '';
  const box = h('div', { class: 'problem', 'data-code': code },
    h('div', { class: 'problem-body' },
      h('p', {}, h('strong', { text: known ? t(`code.${code}`) : problem.detail || problem.title || t('problem.title') }), ' ', advice(problem)),
      problem.errors?.length ? h('ul', {}, problem.errors.map((e) => h('li', {}, e.pointer ? h('code', { text: e.pointer }) : null, ' ', e.message))) : null,
      rest && rest !== t(`code.${code}`) ? h('p', { class: 'muted small', text: rest }) : null,
      problem.request_id ? h('p', { class: 'muted small' }, `${t('problem.request')} `, h('code', { text: problem.request_id })) : null),
    h('button', { type: 'button', class: 'plain', 'aria-label': t('problem.close'), title: t('problem.close'), onclick: () => box.remove() }, '✕'));
  const same = [...region().children].find((b) => b.dataset.code === code);
  if (same) same.replaceWith(box);
  else region().append(box);
  while (region().children.length > 3) region().firstElementChild.remove();
}

function advice(problem) {
  const out = [];
  if (problem.outcome) out.push(t(`problem.${problem.outcome}`));
  if (problem.retryAfter) out.push(t('problem.retryAfter', { n: problem.retryAfter }));
  else if (problem.retryable) out.push(t('problem.retryable'));
  return out.join(' ');
}

// notice shows a short text of the server; those that only inform leave by themselves.
export function notice(data, about) {
  const box = h('div', { class: `problem notice-${data.level}`, 'data-code': data.code },
    h('div', { class: 'problem-body' }, h('p', {}, h('strong', { text: about || t(`notice.level.${data.level}`) }), ' ', data.text)),
    h('button', { type: 'button', class: 'plain', 'aria-label': t('problem.close'), title: t('problem.close'), onclick: () => box.remove() }, '✕'));
  region().append(box);
  if (data.level === 'info') setTimeout(() => box.remove(), 8000);
}

// clear takes away what is no longer true, such as "cannot be reached" once it can be.
export function clear(code) {
  for (const box of [...region().children]) if (box.dataset.code === code) box.remove();
}
