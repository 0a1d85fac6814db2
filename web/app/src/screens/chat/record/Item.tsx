import { memo } from 'react';
import type { Chat } from '../store/chat';
import { partOf } from '../store/failure';
import type { Item } from '../store/items';
import { AnswerView } from './Answer';
import { AskView } from './Ask';
import { CommandCard } from './Command';
import { OutgoingView } from './Outgoing';
import { ReadsView } from './Reads';
import { AgentAsks } from './Outside';
import { texts } from '../texts';
import css from './record.module.css';
import { SystemView } from './System';
import { TriesLine } from './Tries';
import { UserView } from './User';

/** One entry of the record. Streaming text and the message that replaces it share a component, so that nothing jumps
 * on completion. */
export const ItemView = memo(
  function ItemView({ chat, item, named }: { chat: Chat; item: Item; named: boolean }) {
    switch (item.kind) {
      case 'live':
        return <AnswerView chat={chat} id={item.key} />;
      case 'voided':
        return (
          <p className={css.mark} data-mark="discarded">
            {texts.t('discarded')}
          </p>
        );
      case 'approval':
        return <AskView chat={chat} approval={item.approval} />;
      case 'reads':
        return <ReadsView chat={chat} reads={item.reads} />;
      case 'tries':
        return <TriesLine chat={chat} tries={item.tries} />;
      case 'running':
        return (
          <div className={css.cards}>
            {item.executions.map((e) => (
              <CommandCard key={e.id} chat={chat} command={e.command} status={e.status} execution={e} />
            ))}
          </div>
        );
      case 'outgoing':
        return <OutgoingView outbox={chat.outbox} of={item.outgoing} onBack={(draft) => chat.takeBack(draft)} />;
      case 'agents':
        return (
          <div className="stack">
            <AgentAsks sessions={item.sessions} />
          </div>
        );
      default:
    }
    if (item.message.sender === 'USER') return <UserView chat={chat} message={item.message} named={named} />;
    if (item.message.sender === 'AI')
      return <AnswerView chat={chat} id={item.key} message={item.message} tries={item.tries} />;
    return <SystemView chat={chat} message={item.message} />;
  },
  (before, after) => before.chat === after.chat && before.named === after.named && same(before.item, after.item),
);

// Commands are shown with the state of their execution, which the item does not contain.
function same(a: Item, b: Item): boolean {
  if (a.kind !== b.kind || a.key !== b.key) return false;
  if (a.kind === 'message' && b.kind === 'message')
    return a.message === b.message && a.message.sender !== 'SYSTEM' && !partOf(a.message) && !a.tries && !b.tries;
  if (a.kind === 'outgoing' && b.kind === 'outgoing') return a.outgoing === b.outgoing;
  if (a.kind === 'approval' && b.kind === 'approval') return a.approval === b.approval;
  return a.kind === 'live' || a.kind === 'voided';
}
