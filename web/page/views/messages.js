// One entry of the record: a message, an answer that is being written, or commands.
import { h } from '../lib/dom.js';
import { t, time } from '../lib/i18n.js';
import * as markdown from '../lib/markdown.js';

const invalid = 'ai_response_invalid_format';

// textOf is what an AI message says.
export function textOf(m) {
  const ai = m.ai_message;
  if (!ai) return m.text_content ?? '';
  return ai.pre_text === invalid ? '' : [ai.pre_text, m.text_content].filter(Boolean).join('\n\n');
}

export function message(m, executions) {
  if (m.sender === 'USER') return user(m);
  if (m.sender === 'AI') return answer(m);
  return system(m, executions);
}

function user(m) {
  const text = m.rich_content?.linear_text ?? m.text_content ?? '';
  return h('article', { class: 'message user', 'aria-label': t('app.you') },
    h('p', { class: 'preserve', text }), stamp(m.timestamp));
}

function answer(m) {
  const body = h('div', { class: 'md' });
  markdown.render(body, textOf(m));
  const bad = m.ai_message?.pre_text === invalid;
  const thoughts = (m.ai_raw?.thinking ?? []).map((x) => x.text).filter(Boolean).join('\n\n');
  const empty = !body.hasChildNodes() && !bad && m.status !== 'interrupted' && !thoughts;
  return h('article', { class: `message ai${empty ? ' empty' : ''}`, 'aria-label': t('app.ai') },
    folded(t('message.thinking'), thoughts),
    body,
    bad ? h('p', { class: 'muted', text: t('message.invalid') }) : null,
    bad ? folded(t('message.raw'), m.ai_raw?.text) : null,
    m.status === 'interrupted' ? h('p', { class: 'muted small', text: t('message.interrupted') }) : null,
    stamp(m.timestamp));
}

// live is an answer that is being written; grow(node, text) brings it up to date.
export function live() {
  return h('article', { class: 'message ai live', 'aria-label': t('app.ai'), },
    h('details', { class: 'fold thoughts', hidden: true },
      h('summary', { text: t('message.thinking') }), h('pre', { class: 'preserve' })),
    h('div', { class: 'md' }));
}

export function grow(node, text) {
  const thoughts = node.querySelector('.thoughts');
  thoughts.hidden = text.thinking === '';
  if (text.thinking) thoughts.querySelector('pre').textContent = text.thinking;
  markdown.render(node.querySelector('.md'), readable(text.text));
}

// readable is what people see of an answer that streams. With the JSON protocol the
// answer is an object, of which only the first text is for them.
export function readable(text) {
  if (!/^\s*(```(json)?\s*)?\{/.test(text)) return text;
  const m = /"pre_text"\s*:\s*"((?:[^"\\]|\\.)*)/s.exec(text);
  if (!m) return '';
  // What ends in half an escape waits for the other half.
  const whole = m[1].replace(/\\u[0-9a-fA-F]{0,3}$/, '');
  try { return JSON.parse(`"${whole.replace(/[\u0000-\u001f]/g, ' ')}"`); } catch { return whole; }
}

function system(m, executions) {
  const s = m.system_message ?? { type: 'GUIDANCE', summary: '' };
  const results = s.command_results ?? [];
  if (results.length) {
    const failed = results.some((r) => ['FAILED', 'UNKNOWN'].includes(r.status));
    return h('section', { class: 'message system commands', 'aria-label': t(`system.${s.type}`) },
      results.map((r) => result(r, executions.get(r.execution_id))),
      failed && s.summary ? h('p', { class: 'muted small', text: s.summary }) : null);
  }
  const kind = ['NETWORK_ERROR', 'SESSION_TIMEOUT', 'LIMIT_REACHED'].includes(s.type) ? 'warn' : 'note';
  const title = t(`system.${s.type}`);
  if (kind === 'warn') {
    return h('section', { class: 'message system warn' }, h('p', {}, h('strong', { text: title }), s.summary ? ` ${s.summary}` : ''), stamp(m.timestamp));
  }
  const words = [s.summary, s.formatted_data].filter(Boolean).join('\n\n');
  return h('section', { class: 'message system note' }, folded(title, words) ?? h('p', { class: 'muted small', text: title }));
}

// result is the card of a command that has ended.
function result(r, execution) {
  const took = execution?.started_at && execution?.ended_at
    ? t('exec.ms', { n: Math.max(0, Date.parse(execution.ended_at) - Date.parse(execution.started_at)) }) : '';
  return card(r.summary || r.command, r.command, r.status, [
    r.error ? h('p', { class: 'error', text: r.error.message }) : null,
    r.error?.fields?.length ? h('ul', {}, r.error.fields.map((f) => h('li', {}, h('code', { text: f.pointer }), ' ', f.message))) : null,
    r.note ? h('p', { class: 'muted small', text: r.note }) : null,
  ], [
    h('p', { class: 'muted small' }, h('code', { text: r.command }), took ? ` · ${took}` : ''),
    execution ? labelled(t('exec.params'), JSON.stringify(execution.params, null, 1)) : null,
    r.text ? labelled(t('exec.result'), r.text) : null,
  ]);
}

// running shows commands that are being carried out.
export function running(executions) {
  return h('section', { class: 'message system commands' },
    executions.map((e) => card(e.command, e.command, e.status, [], [labelled(t('exec.params'), JSON.stringify(e.params, null, 1))])));
}

function card(title, command, status, visible, details) {
  return h('div', { class: 'card', 'data-command': command, 'data-status': status },
    h('details', { class: 'fold' },
      h('summary', {}, h('span', { class: 'card-title', text: title }), ' ', h('span', { class: `badge exec-${status}`, text: t(`exec.${status}`) })),
      details),
    visible);
}

const labelled = (label, text) => h('div', { class: 'labelled' }, h('span', { class: 'muted small', text: label }), h('pre', { class: 'preserve', tabindex: '0', text }));

function folded(title, text) {
  if (!text) return null;
  return h('details', { class: 'fold' }, h('summary', { text: title }), h('pre', { class: 'preserve', tabindex: '0', text }));
}

const stamp = (iso) => h('time', { class: 'stamp', datetime: iso, text: time(iso) });
