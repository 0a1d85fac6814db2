// Cards that ask a person for a yes: changes, budgets, ends, unknown outcomes.
import { h, uid } from '../lib/dom.js';
import { has, t, time } from '../lib/i18n.js';
import { question } from './questions.js';

// approval makes the card. act(body) answers it and act.resume, act.stop steer the
// session; they resolve when the server has taken it and reject with a Problem.
export function approval(a, act) {
  if (a.status !== 'open') return settled(a);
  switch (a.kind) {
    case 'actions': return actions(a, act);
    case 'question': return question(a, act);
    case 'budget': return budget(a, act);
    case 'completion':
      return card(a, t('approval.completion'), [words(a), comment(a)], [
        button(t('approval.completion.yes'), 'primary', (f) => act({ confirmed: true, ...said(f) })),
        button(t('approval.completion.no'), '', (f) => act({ confirmed: false, ...said(f) }))]);
    case 'outcome':
      return card(a, t('approval.outcome'), [words(a), a.actions.map(one)], ['happened', 'did_not', 'run_again']
        .map((o) => button(t(`approval.outcome.${o}`), '', () => act({ outcome: o }))));
    default:
      return card(a, t('approval.poisoned'), [words(a)], [
        button(t('approval.poisoned.resume'), 'primary', () => act({ approved: true })),
        button(t('approval.poisoned.stop'), 'danger', () => act({ approved: false }))]);
  }
}

function settled(a) {
  const status = a.kind === 'question' && has(`approval.question.${a.status}`) ? t(`approval.question.${a.status}`) : t(`approval.status.${a.status}`);
  const about = a.kind === 'question' ? a.module?.data?.question ?? a.module?.data?.message ?? a.module?.data?.title ?? a.text
    : a.actions.map((x) => x.text).join(' · ') || a.text;
  return h('section', { class: 'message system note settled', 'data-approval': a.id, 'data-status': a.status },
    h('p', {}, h('span', { class: `badge settled-${a.status}`, text: status }), ' ', about ?? ''));
}

// card is the frame of every question. Its buttons are held while an answer is under
// way, and let go when it failed: nothing a person typed is lost.
export function card(a, title, content, buttons) {
  const id = uid('ask');
  const form = h('form', { class: 'ask', 'data-approval': a.id, 'data-kind': a.kind, 'aria-labelledby': id, onsubmit: (e) => e.preventDefault() },
    h('h2', { id, text: title }), content,
    a.expires_at ? h('p', { class: 'muted small', text: t('approval.expires', { time: time(a.expires_at) }) }) : null,
    h('div', { class: 'buttons' }, buttons));
  form.addEventListener('click', async (event) => {
    const pressed = event.target.closest('button[data-answers]');
    if (!pressed || form.getAttribute('aria-busy') === 'true') return;
    form.setAttribute('aria-busy', 'true');
    try {
      if (await pressed.answer(form) !== false) return; // stays held until the event replaces the card
    } catch { /* shown by act */ }
    form.removeAttribute('aria-busy');
  });
  return form;
}

export function button(label, kind, answer) {
  const el = h('button', { type: 'button', class: kind, 'data-answers': true, text: label });
  el.answer = answer;
  return el;
}

const words = (a) => (a.text ? h('p', { class: 'preserve', text: a.text }) : null);

function comment(a) {
  const id = `${a.id}-comment`;
  return h('div', { class: 'field' }, h('label', { for: id, text: t('approval.comment') }),
    h('textarea', { id, name: 'comment', rows: '1', maxlength: '10000' }));
}

const said = (form) => {
  const text = form.elements.comment?.value.trim();
  return text ? { comment: text } : {};
};

function budget(a, act) {
  const id = `${a.id}-limit`;
  return card(a, t('approval.budget'), [words(a),
    h('div', { class: 'field' }, h('label', { for: id, text: t('approval.budget.limit') }),
      h('input', { id, name: 'limit', type: 'number', min: '0', step: 'any', inputmode: 'decimal' }))],
  [
    button(t('approval.budget.yes'), 'primary', (f) => act({ approved: true, ...(f.elements.limit.value ? { limit: Number(f.elements.limit.value) } : {}) })),
    button(t('approval.budget.no'), '', () => act({ approved: false }))]);
}

function actions(a, act) {
  const many = a.actions.length > 1;
  const selected = button('', '', (f) => act({ approved: true, approved_ids: chosen(f), ...said(f) }));
  const form = card(a, t('approval.title', { n: a.actions.length }), [
    h('ol', { class: `actions${many ? '' : ' single'}` }, a.actions.map((x) => h('li', {},
      many ? h('label', { class: 'check' }, h('input', { type: 'checkbox', name: 'action', value: x.id, checked: true }), h('span', { class: 'visually-hidden', text: `${t('approval.choose')} : ` }), x.text) : h('p', { class: 'action-text', text: x.text }),
      one(x, true)))),
    reasons(a), comment(a),
  ], [
    button(many ? t('approval.approve.all') : t('approval.approve'), 'primary', (f) => act({ approved: true, ...said(f) })),
    many ? selected : null,
    button(t('approval.refuse'), 'danger', (f) => act({ approved: false, ...said(f) })),
  ]);
  const count = () => {
    selected.textContent = t('approval.selected', { n: chosen(form).length });
    selected.disabled = chosen(form).length === 0;
  };
  form.addEventListener('change', count);
  count();
  return form;
}

const chosen = (form) => [...form.querySelectorAll('input[name=action]:checked')].map((i) => i.value);

function reasons(a) {
  if (!a.reasons.length) return null;
  return h('div', { class: 'reasons' }, h('h3', { text: t('approval.reasons') }),
    h('ul', {}, a.reasons.map((r) => h('li', {}, r.text || t(`level.${r.level}`)))));
}

// one shows an action: what it does to the record, warnings, and its exact parameters.
function one(x, titled = false) {
  return h('div', { class: 'action' },
    titled ? null : h('p', { class: 'action-text', text: x.text }),
    x.warnings?.length ? h('div', { class: 'warnings' }, h('strong', { text: t('approval.warnings') }), h('ul', {}, x.warnings.map((w) => h('li', { text: w })))) : null,
    comparison(x.before, x.after),
    h('details', { class: 'fold' }, h('summary', { text: t('approval.params') }),
      h('p', { class: 'small muted' }, h('code', { text: x.command })),
      h('pre', { class: 'preserve', tabindex: '0', text: JSON.stringify(x.params, null, 2) })));
}

// comparison is a table of what was and what would be, field by field; what stays the
// same is left out unless all does.
export function comparison(before, after) {
  const was = flat(before), will = flat(after);
  let names = [...new Set([...was.keys(), ...will.keys()])];
  const changed = names.filter((n) => was.get(n) !== will.get(n));
  if (changed.length) names = changed;
  if (!names.length) return null;
  const cell = (map, name, cls) => h('td', { class: map.has(name) ? cls : 'muted', text: map.has(name) ? map.get(name) : t('approval.nothing') });
  const both = was.size > 0 && will.size > 0;
  return h('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': `${t('approval.before')} / ${t('approval.after')}` }, h('table', {},
    h('thead', {}, h('tr', {}, h('th', { scope: 'col', text: t('approval.field') }),
      both || was.size ? h('th', { scope: 'col', text: t('approval.before') }) : null,
      both || will.size ? h('th', { scope: 'col', text: t('approval.after') }) : null)),
    h('tbody', {}, names.map((n) => h('tr', {}, h('th', { scope: 'row', text: n }),
      both || was.size ? cell(was, n, 'was') : null,
      both || will.size ? cell(will, n, 'will') : null)))));
}

// flat makes "data.value" -> "7" of an object; lists stay together.
function flat(value, prefix = '', out = new Map()) {
  if (value === null || value === undefined) return out;
  if (typeof value !== 'object') { out.set(prefix || '—', String(value)); return out; }
  const entries = Array.isArray(value) ? value.map((v, i) => [String(i + 1), v]) : Object.entries(value);
  for (const [name, v] of entries) {
    const path = prefix ? `${prefix}.${name}` : name;
    if (v !== null && typeof v === 'object' && Object.keys(v).length) flat(v, path, out);
    else out.set(path, v === null ? '' : typeof v === 'object' ? JSON.stringify(v) : String(v));
  }
  return out;
}
