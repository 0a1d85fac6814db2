import { Link } from 'wouter';
import type { Approval } from '../store/conversation';
import type { Chat } from '../store/chat';
import { texts } from '../texts';
import css from './record.module.css';

/** A question to the person, or what came of it. */
export function AskView({ approval }: { chat: Chat; approval: Approval }) {
  return approval.status === 'open' ? <Open approval={approval} /> : <Settled approval={approval} />;
}

function Open({ approval }: { approval: Approval }) {
  const t = texts.use();
  return (
    <section className="box warn row between" data-approval={approval.id} data-kind={approval.kind}>
      <div className="grow"><p><strong>{t('ask.open')}</strong></p><p>{aboutOf(approval)}</p></div>
      <Link href="/approvals" className="button primary">{t('ask.go')}</Link>
    </section>
  );
}

function Settled({ approval }: { approval: Approval }) {
  const t = texts.use();
  const question = approval.kind === 'question' && (approval.status === 'approved' ? 'settled.answered' : approval.status === 'refused' ? 'settled.unanswered' : null);
  const status = `settled.${approval.status}`;
  return (
    <section className={css.quiet} data-approval={approval.id} data-status={approval.status}>
      <p><span className={`badge ${approval.status === 'approved' ? 'ok' : 'warn'}`}>{question ? t(question) : t.has(status) ? t(status) : approval.status}</span> {aboutOf(approval)}</p>
    </section>
  );
}

/** What was asked, in the server's words. */
function aboutOf(approval: Approval): string {
  const data = (approval.module?.data ?? {}) as { question?: string; message?: string; title?: string };
  if (approval.kind === 'question') return data.question ?? data.message ?? data.title ?? approval.text ?? '';
  return approval.actions.map((a) => a.text).join(' · ') || (approval.text ?? '');
}
