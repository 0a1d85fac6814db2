// The record of the open conversation.
import { reconcile } from '../lib/dom.js';
import { lang } from '../lib/i18n.js';
import * as approvals from './approvals.js';
import * as messages from './messages.js';

const timeline = document.getElementById('timeline');

// render shows the conversation; grown(id, text) is told how far a streaming answer is,
// and answer(approval, body) sends what a person decided.
export function render(conversation, { grown, answer }) {
  const items = conversation?.session ? conversation.timeline() : [];
  reconcile(timeline, items.map((item) => ({
    key: item.key, sign: `${lang}|${item.kind}|${signOf(item)}`, make: () => make(item, conversation, answer),
  })));
  for (const item of items) {
    if (item.kind !== 'live') continue;
    messages.grow(timeline.querySelector(`[data-key="${CSS.escape(item.key)}"]`), item.text);
    grown(item.key, messages.readable(item.text.text));
  }
}

// signOf changes when an item must be built again.
function signOf(item) {
  switch (item.kind) {
    case 'message': return `${item.message.status}|${item.message.seq}`;
    case 'approval': return `${item.approval.status}|${item.approval.actions.map((a) => a.digest).join()}`;
    case 'running': return item.executions.map((e) => e.id + e.status).join();
    default: return '';
  }
}

function make(item, conversation, answer) {
  switch (item.kind) {
    case 'message': return messages.message(item.message, conversation.executions);
    case 'approval': return approvals.approval(item.approval, (body) => answer(item.approval, body));
    case 'running': return messages.running(item.executions);
    default: return messages.live();
  }
}
