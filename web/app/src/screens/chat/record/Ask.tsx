import { useState } from 'react';
import { ApprovalCard } from '../../../approvals/ApprovalCard';
import type { Approval, Message } from '../store/sessionStore';
import type { Chat } from '../store/chat';
import { texts } from '../texts';
import { useRecord } from '../useChat';
import { useAgain } from './useAgain';
import css from './record.module.css';

/** A question to the person. Once it is settled it is a quiet line, unless it was answered
 * here: then its card says what became of the answer. */
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

/** Nothing came of a question: one click has it asked again, without typing it all anew. It
 * stands where nothing came after, which a round or the last message tells. */
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

/** What was asked, in the server's words. */
function aboutOf(approval: Approval): string {
  const data = (approval.module?.data ?? {}) as { question?: string; message?: string; title?: string };
  if (approval.kind === 'question') return data.question ?? data.message ?? data.title ?? approval.text ?? '';
  return approval.actions.map((a) => a.text).join(' · ') || (approval.text ?? '');
}
