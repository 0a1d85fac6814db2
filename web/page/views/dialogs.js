// Two small dialogs about a chat: its name, and whether it is to be deleted.
import { h, uid } from '../lib/dom.js';
import { t } from '../lib/i18n.js';
import { nameOf } from './sessions.js';

// rename resolves with the new name, or null.
export function rename(session) {
  const id = uid('name');
  const field = h('input', { id, type: 'text', maxlength: '200', value: session.name });
  return ask(t('app.rename'), [h('label', { for: id, text: t('app.rename.ask') }), field], t('app.save'), () => field.value.trim(), field);
}

// confirmDelete resolves with true, or null.
export function confirmDelete(session) {
  return ask(t('app.delete'), [h('p', { text: t('app.delete.ask', { name: nameOf(session) }) })], t('app.delete'), () => true, null, 'danger');
}

function ask(title, content, yes, value, focus, kind = 'primary') {
  return new Promise((done) => {
    const id = uid('dialog');
    let result = null;
    const dialog = h('dialog', { class: 'dialog', 'aria-labelledby': id, onclose: () => { dialog.remove(); done(result); } },
      h('form', { method: 'dialog', onsubmit: () => { result = value(); } },
        h('h2', { id, text: title }), content,
        h('div', { class: 'buttons' },
          h('button', { type: 'submit', class: kind, text: yes }),
          h('button', { type: 'button', text: t('app.cancel'), onclick: () => dialog.close() }))));
    document.body.append(dialog);
    dialog.showModal();
    focus?.select();
  });
}
