// The field for an API key. It appears only when the server has said 401.
import { call, getKey, setKey } from '../lib/api.js';
import { h } from '../lib/dom.js';
import { t } from '../lib/i18n.js';

let open = null;

// ask shows the field and resolves once a key was accepted.
export function ask() {
  open ??= new Promise((done) => {
    const error = h('p', { class: 'error', role: 'alert' });
    const field = h('input', { id: 'signin-key', type: 'password', autocomplete: 'off', required: true, spellcheck: 'false' });
    const dialog = h('dialog', { class: 'dialog', 'aria-labelledby': 'signin-title' },
      h('form', {
        method: 'dialog',
        onsubmit: async (event) => {
          event.preventDefault();
          error.textContent = '';
          const before = getKey();
          setKey(field.value.trim());
          try {
            await call('GET', '/v1/sessions?limit=1');
          } catch (problem) {
            setKey(before);
            error.textContent = problem.status === 401 ? t('signin.wrong') : t(`code.${problem.code}`);
            field.select();
            return;
          }
          open = null;
          dialog.close();
          dialog.remove();
          done();
        },
      },
      h('h2', { id: 'signin-title', text: t('signin.title') }),
      h('p', { text: t('signin.text') }),
      h('label', { for: 'signin-key', text: t('signin.key') }), field, error,
      h('div', { class: 'buttons' }, h('button', { type: 'submit', class: 'primary', text: t('signin.send') }))));
    dialog.addEventListener('cancel', (event) => event.preventDefault()); // there is nothing behind it
    document.body.append(dialog);
    dialog.showModal();
    field.focus();
  });
  return open;
}
