import { useState } from 'react';
import { ApprovalCard } from '../../../approvals/ApprovalCard';
import type { Approval } from '../store/sessionStore';
import type { Chat } from '../store/chat';
import { texts } from '../texts';
import css from './record.module.css';

/** A question to the person. Once it is settled it is a quiet line, unless it was answered
 * here: then its card says what became of the answer. */
export function AskView({ chat, approval }: { chat: Chat; approval: Approval }) {
  const [asked] = useState(approval.status === 'open');
  if (asked) return <ApprovalCard approval={approval} compact onSettled={(now) => chat.store.settle(now)} />;
  return <Settled approval={approval} />;
}

function Settled({ approval }: { approval: Approval }) {
  const t = texts.use();
  const question =
    approval.kind === 'question' &&
    (approval.status === 'approved' ? 'settled.answered' : approval.status === 'refused' ? 'settled.unanswered' : null);
  const status = `settled.${approval.status}`;
  return (
    <section className={css.quiet} data-approval={approval.id} data-status={approval.status}>
      <p>
        <span className={`badge ${approval.status === 'approved' ? 'ok' : 'warn'}`}>
          {question ? t(question) : t.has(status) ? t(status) : approval.status}
        </span>{' '}
        {aboutOf(approval)}
      </p>
    </section>
  );
}

/** What was asked, in the server's words. */
function aboutOf(approval: Approval): string {
  const data = (approval.module?.data ?? {}) as { question?: string; message?: string; title?: string };
  if (approval.kind === 'question') return data.question ?? data.message ?? data.title ?? approval.text ?? '';
  return approval.actions.map((a) => a.text).join(' · ') || (approval.text ?? '');
}
