import { useState } from 'react';
import { ApprovalCard } from '../../../approvals/ApprovalCard';
import type { Approval, Message } from '../store/sessionStore';
import type { Chat } from '../store/chat';
import { texts } from '../texts';
import { useRecord } from '../useChat';
import { useAgain } from './useAgain';
import css from './record.module.css';

/** A question to the person. Once settled it is a single line, unless it was answered here: then its card shows the
 * outcome. */
export function AskView({ chat, approval }: { chat: Chat; approval: Approval }) {
  const [asked] = useState(approval.status === 'open');
  const card = asked && approval.status !== 'evicted' && approval.status !== 'expired';
  if (card) return <ApprovalCard approval={approval} compact onSettled={(now) => chat.store.settle(now)} />;
  return <Settled chat={chat} approval={approval} />;
}

function Settled({ chat, approval }: { chat: Chat; approval: Approval }) {
  const t = texts.use();
  const question =
    approval.kind === 'question' &&
    (approval.status === 'approved' ? 'settled.answered' : approval.status === 'refused' ? 'settled.unanswered' : null);
  const status = `settled.${approval.status}`;
  const missed = approval.status === 'evicted' || approval.status === 'expired';
  const comment = (approval.decision as { comment?: string } | null)?.comment;
  return (
    <section className={css.quiet} data-approval={approval.id} data-status={approval.status}>
      <p className="row">
        <span className={`badge ${approval.status === 'approved' ? 'ok' : 'warn'}`}>
          {question ? t(question) : t.has(status) ? t(status) : t('settled.other')}
        </span>
        <bdi>{aboutOf(approval)}</bdi>
        {missed && <AskAgain chat={chat} round={approval.round_id} />}
      </p>
      {comment && <blockquote className="preserve">{comment}</blockquote>}
    </section>
  );
}

/** A cancelled question can be asked again with one click. Offered if nothing followed in the record. */
export function AskAgain({ chat, round, after }: { chat: Chat; round?: string; after?: Message }) {
  const t = texts.use();
  const again = useAgain(chat);
  useRecord(chat);
  const { session } = chat.store;
  if (session?.type !== 'CHAT' || session.status !== 'idle') return null;
  if (after ? chat.store.placed.at(-1)?.id !== after.id : session.round_id !== round) return null;
  return (
    <>
      <button type="button" className="small" data-act="ask-again" disabled={again.busy} onClick={() => again.run({})}>
        {t('settled.again')}
      </button>
      {again.more}
    </>
  );
}

/** The text of the question, from the server. */
function aboutOf(approval: Approval): string {
  const data = (approval.module?.data ?? {}) as { question?: string; message?: string; title?: string };
  if (approval.kind === 'question') return data.question ?? data.message ?? data.title ?? approval.text ?? '';
  return approval.actions.map((a) => a.text).join(' · ') || (approval.text ?? '');
}
