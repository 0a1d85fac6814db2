// The AI's questions: one form for each kind of communication module. An unknown kind
// still gets a form, from its schema or as plain JSON.
import { h, uid } from '../lib/dom.js';
import { t } from '../lib/i18n.js';
import { button, card } from './approvals.js';

// question makes the card of an approval of kind "question".
export function question(a, act) {
  const { type, data } = a.module ?? { type: '', data: {} };
  const cancel = button(t('question.cancel'), '', () => act({ cancelled: true }));
  const yesNo = (yes, no) => [button(yes, 'primary', () => act({ value: true })), button(no, '', () => act({ value: false })), cancel];
  switch (type) {
    case 'MultipleChoice': return withValue(a, act, data.question ?? t('question.title'), choice(a, data), cancel);
    case 'Validation': return card(a, t('question.title'), h('p', { class: 'preserve', text: data.message ?? a.text ?? '' }), yesNo(t('question.yes'), t('question.no')));
    case 'Plan':
      return card(a, data.title || t('question.plan'), h('ol', { class: 'steps' }, (data.steps ?? []).map((s) => h('li', { text: s }))),
        yesNo(t('question.plan.yes'), t('question.plan.no')));
    case 'Text': return withValue(a, act, data.question ?? t('question.title'), textField(a, data), cancel);
    case 'Form': return withValue(a, act, data.title || t('question.title'), formFields(a, data.schema ?? {}), cancel);
    default: {
      const fields = a.response_schema?.properties ? formFields(a, a.response_schema) : rawField(a);
      return withValue(a, act, a.text || t('question.title'), fields, cancel);
    }
  }
}

// withValue makes a card whose field gives a value, or undefined while it has none.
function withValue(a, act, title, field, cancel) {
  const error = h('p', { class: 'error', role: 'alert' });
  const send = button(t('question.send'), 'primary', (form) => {
    error.textContent = '';
    const value = field.read(form);
    if (value === undefined || !form.reportValidity()) {
      if (value === undefined) error.textContent = t('question.missing');
      return false;
    }
    return act({ value });
  });
  const form = card(a, title, [field.node, error], [send, cancel]);
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.isComposing && event.target.tagName === 'INPUT') { event.preventDefault(); send.click(); }
  });
  return form;
}

function choice(a, data) {
  const name = uid('choice');
  const kind = data.multiple ? 'checkbox' : 'radio';
  const options = (data.options ?? []).map(optionOf);
  const other = data.allow_other ? h('input', { type: 'text', 'aria-label': t('question.other.label'), maxlength: '1000' }) : null;
  const otherBox = other ? h('input', { type: kind, name, value: '' }) : null;
  other?.addEventListener('input', () => { otherBox.checked = other.value !== ''; });
  const node = h('fieldset', { class: 'choices' }, h('legend', { class: 'visually-hidden', text: data.question ?? '' }),
    options.map((o) => h('label', { class: 'check' }, h('input', { type: kind, name, value: o.value }), h('span', { text: o.label }))),
    other ? h('div', { class: 'check other' }, h('label', {}, otherBox, ` ${t('question.other')}`), other) : null);
  const read = () => {
    const picked = [...node.querySelectorAll(`input[name="${name}"]:checked`)]
      .map((i) => (i === otherBox ? other.value.trim() : i.value)).filter((v) => v !== '');
    if (!picked.length) return undefined;
    return data.multiple ? picked : picked[0];
  };
  return { node, read };
}

const optionOf = (o) => (typeof o === 'object' && o !== null ? { value: String(o.value ?? o.id ?? o.label), label: String(o.label ?? o.value) } : { value: String(o), label: String(o) });

function textField(a, data) {
  const id = uid('text');
  const area = h('textarea', { id, rows: '2', placeholder: data.placeholder ?? '', maxlength: '10000' });
  return {
    node: h('div', { class: 'field' }, h('label', { for: id, class: 'visually-hidden', text: data.question ?? t('question.title') }), area),
    read: () => area.value.trim() || undefined,
  };
}

function rawField(a) {
  const id = uid('raw');
  const area = h('textarea', { id, rows: '3' });
  return {
    node: h('div', { class: 'field' }, h('label', { for: id, text: t('question.raw') }), area),
    read: () => { try { return JSON.parse(area.value); } catch { return area.value.trim() || undefined; } },
  };
}

// formFields makes simple fields of a JSON Schema of flat properties.
function formFields(a, schema) {
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).map(([name, s]) => oneField(name, s, required.has(name)));
  return {
    node: h('div', { class: 'fields' }, fields.map((f) => f.node)),
    read: () => {
      const value = {};
      for (const f of fields) {
        const v = f.read();
        if (v !== undefined) value[f.name] = v;
      }
      return value;
    },
  };
}

function oneField(name, s, required) {
  const id = uid('field');
  const label = [s.title || name, required ? h('span', { class: 'muted', text: ` ${t('question.required')}` }) : null];
  const hint = s.description ? h('p', { class: 'muted small', id: `${id}-hint`, text: s.description }) : null;
  const common = { id, required: required && s.type !== 'boolean', 'aria-describedby': hint ? `${id}-hint` : null };
  const type = Array.isArray(s.type) ? s.type.find((x) => x !== 'null') : s.type;
  if (type === 'boolean') {
    const box = h('input', { ...common, type: 'checkbox', checked: s.default === true });
    return { name, node: h('div', { class: 'field' }, h('label', { class: 'check' }, box, h('span', {}, label)), hint), read: () => box.checked };
  }
  let input;
  if (Array.isArray(s.enum)) {
    input = h('select', common, h('option', { value: '', text: '' }), s.enum.map((v, i) => h('option', { value: String(i), selected: v === s.default, text: String(v) })));
  } else if (type === 'number' || type === 'integer') {
    input = h('input', { ...common, type: 'number', step: type === 'integer' ? '1' : 'any', min: s.minimum, max: s.maximum, value: s.default });
  } else {
    const kind = { date: 'date', 'date-time': 'text', email: 'email', uri: 'url' }[s.format] ?? 'text';
    input = h('input', { ...common, type: kind, value: s.default, maxlength: s.maxLength, pattern: s.pattern });
  }
  const read = () => {
    if (input.value === '') return undefined;
    if (Array.isArray(s.enum)) return s.enum[Number(input.value)];
    return input.type === 'number' ? Number(input.value) : input.value;
  };
  return { name, node: h('div', { class: 'field' }, h('label', { for: id }, label), hint, input), read };
}
