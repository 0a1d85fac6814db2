import type { Schemas } from '../../../api/client';
import type { Chat } from '../store/chat';
import { again } from '../texts.again';

/** The changes that earlier answers made, as the record describes them. */
export function Effects({ chat, executions }: { chat: Chat; executions: Schemas['Execution'][] }) {
  const t = again.use();
  const outcome = (status: string) => (t.has(`effect.${status}`) ? t(`effect.${status}` as 'effect.SUCCESS') : '');
  return (
    <div className="box warn" role="alert" data-effects={executions.length}>
      <p>
        <strong>{t('again.effects')}</strong>
      </p>
      <ul>
        {executions.map((e) => (
          <li key={e.id}>
            <bdi>{summaryOf(chat, e.id) || t('effect.other')}</bdi>
            {outcome(e.status) && ` · ${outcome(e.status)}`}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The record's description of an execution's effect. */
function summaryOf(chat: Chat, execution: string): string {
  for (const m of chat.store.messages.values())
    for (const r of m.system_message?.command_results ?? []) if (r.execution_id === execution) return r.summary ?? '';
  return '';
}
