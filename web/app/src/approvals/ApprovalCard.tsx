import { useEffect, useId, useRef } from 'react';
import { $api } from '../api/client';
import { useFormat } from '../i18n/format';
import { ProblemBox } from '../ui/Problem';
import { SessionLink, useWords } from '../ui/session';
import { Time, useNow } from '../ui/Time';
import { Actions } from './Actions';
import type { AskProps } from './ask';
import { Budget, Completion, Outcome, Poisoned } from './Asks';
import { ClientCalls } from './ClientCalls';
import { useDecide, type Approval } from './decide';
import { Question } from './Question';
import { Reconnect, Source } from './Reconnect';
import { SendLink } from './SendLink';
import { Settled } from './Settled';
import { texts } from './texts';
import { titleOf } from './title';
import css from './approvals.module.css';

interface Props {
  approval: Approval;
  /** Inside the chat of the approval: without a link to it and the time of the request. */
  compact?: boolean;
  /** Called after an answer from this card; `conflict` is the problem's code if another answer was first. */
  onSettled?: (now: Approval, conflict?: string) => void;
}

/** An approval of any kind, with the controls to answer it; once it is settled, who decided what. */
export function ApprovalCard({ approval, compact, onSettled }: Props) {
  const t = texts.use();
  const words = useWords();
  const id = useId();
  const box = useRef<HTMLElement>(null);
  const { run, busy, problem, now, conflict, clear } = useDecide(approval, onSettled);
  const open = now.status === 'open';
  const wasOpen = useRef(open);
  useEffect(() => {
    // The pressed button is gone: the card keeps the focus.
    if (
      wasOpen.current &&
      !open &&
      (document.activeElement === document.body || box.current?.contains(document.activeElement))
    )
      box.current?.focus({ preventScroll: true });
    wasOpen.current = open;
  }, [open]);
  const ask: AskProps = { approval: now, busy, decide: run, problem };
  return (
    <section
      ref={box}
      tabIndex={-1}
      className={`card ${css.card}`}
      aria-labelledby={id}
      data-approval={now.id}
      data-kind={now.kind}
      data-status={now.status}
    >
      <header className={css.head}>
        <div className="grow">
          <h2 id={id} className={css.title}>
            <bdi>{titleOf(now) || words.approval(now.kind)}</bdi>
          </h2>
          <p className={css.meta}>
            {open && <span>{words.approval(now.kind)}</span>}
            {!compact && (
              <span>
                {t('asked')} <Time at={now.created_at} />
              </span>
            )}
            {!compact && <Session id={now.session_id} />}
            {open && now.expires_at && <Countdown at={now.expires_at} deny={now.on_expiry === 'deny'} />}
          </p>
        </div>
        {open && <SendLink approval={now} />}
      </header>
      {open ? <Body {...ask} /> : <Settled approval={now} conflict={conflict} />}
      {problem != null && <ProblemBox thrown={problem} onClose={clear} />}
    </section>
  );
}

function Body(ask: AskProps) {
  switch (ask.approval.kind) {
    case 'actions':
      return <Actions {...ask} />;
    case 'question':
      return (
        <>
          <Source approval={ask.approval} />
          <Question {...ask} />
        </>
      );
    case 'reconnect':
      return <Reconnect {...ask} />;
    case 'client_calls':
      return <ClientCalls {...ask} />;
    case 'budget':
      return <Budget {...ask} />;
    case 'completion':
      return <Completion {...ask} />;
    case 'outcome':
      return <Outcome {...ask} />;
    case 'poisoned':
      return <Poisoned {...ask} />;
    default:
      return <Question {...ask} />;
  }
}

function Session({ id }: { id: string }) {
  const t = texts.use();
  const query = $api.useQuery('get', '/v1/sessions/{session_id}', { params: { path: { session_id: id } } });
  if (!query.data) return null;
  const agent = query.data.type === 'AGENT';
  return (
    <span className={css.session} data-agent={agent || undefined}>
      <span className={agent ? undefined : 'nowrap'}>{t(agent ? 'by.agent' : 'in')}</span>{' '}
      <SessionLink session={query.data} />
    </span>
  );
}

function Countdown({ at, deny }: { at: string; deny: boolean }) {
  const t = texts.use();
  const f = useFormat();
  const left = new Date(at).getTime() - useNow();
  if (left <= 0)
    return (
      <span className={css.soon} data-expires>
        {t('expires.over')}
      </span>
    );
  const length = f.duration(Math.max(1000, Math.floor(left / 1000) * 1000));
  return (
    <span className={left < 60_000 ? css.soon : undefined} title={f.full(at)} data-expires>
      {t(deny ? 'expires.deny' : 'expires.keep', { length })}
    </span>
  );
}
