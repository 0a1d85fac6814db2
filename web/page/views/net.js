// The bar that says that the connection is gone: not for the first two seconds, in
// which it mostly comes back unseen.
import { t } from '../lib/i18n.js';

const bar = document.getElementById('net');
const patience = 2000;
let timer = null;

export function lost(since) {
  if (timer || bar.textContent) return;
  timer = setTimeout(() => {
    timer = null;
    bar.textContent = navigator.onLine ? t('net.lost') : t('net.offline');
    bar.className = 'shown';
  }, Math.max(0, patience - (performance.now() - since)));
}

export function found() {
  clearTimeout(timer);
  timer = null;
  bar.textContent = '';
  bar.className = '';
}
