import { Square } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { api } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { useFormat } from '../../../i18n/format';
import { Icon } from '../../../ui/Icon';
import { useAction } from '../../../ui/action';
import { Confirm } from '../../../ui/Confirm';
import { ProblemBox } from '../../../ui/Problem';
import { AgainDialog } from '../record/Again';
import type { Chat } from '../store/chat';
import { brokenBy, retriesAt } from '../store/failure';
import type { Session } from '../store/sessionStore';
import { words } from '../texts.compose';
import { useLive } from '../useChat';
import css from './compose.module.css';
import { useServerTime } from './useServerTime';
import { deadlineOf, activityOf, type Activity } from './phase';
import { Why } from './Why';

type Step = 'interrupt' | 'retry' | 'resume';

/** Continues, resumes or stops a session. */
export function useSessionControl(chat: Chat) {
  return useAction(async (step: Step) => {
    const at = { params: { path: { session_id: chat.id } } };
    try {
      const call =
        step === 'interrupt'
          ? api.POST('/v1/sessions/{session_id}/interrupt', at)
          : step === 'retry'
            ? api.POST('/v1/sessions/{session_id}/retry', at)
            : api.POST('/v1/sessions/{session_id}/resume', at);
      chat.store.take((await call).data!.session);
    } catch (thrown) {
      chat.recheck(thrown);
      // It has stopped in the meantime: nothing to do.
      if (!(step === 'interrupt' && asProblem(thrown).code === 'wrong_phase')) throw thrown;
    }
  });
}

/** The status line: the session's activity, since when, and the next automatic step. It is always present, so that
 * nothing moves. */
export function PhaseLine({
  chat,
  steer,
  hint,
  children,
}: {
  chat: Chat;
  steer: ReturnType<typeof useSessionControl>;
  hint: boolean;
  children?: ReactNode;
}) {
  const t = words.use();
  const [why, setWhy] = useState(false);
  const session = chat.store.session;
  useLive(chat, session?.phase === 'CALLING_AI');
  if (!session) return <div className={css.phase} />;
  const live = [...chat.store.live.values()][0];
  const now = activityOf(session, { writes: !!live?.text, command: live?.writesCommand ?? false });
  const again = !now && session.type === 'CHAT' ? brokenIn(chat, session) : '';
  return (
    <>
      {why && now && <Why id={chat.id} />}
      {steer.problem != null && <ProblemBox thrown={steer.problem} onClose={steer.clear} />}
      <div className={css.phase} data-does={now?.does} data-phase={session.phase} data-status={session.status}>
        {now && (
          <span className={css.words}>
            <span className={`drawn ${css.dot}`} aria-hidden="true" />
            <Words session={session} now={now} />
            <Clock chat={chat} session={session} now={now} />
          </span>
        )}
        {again && <span className="muted">{t(again === 'STOPPED' ? 'stopped.chat' : 'down.chat')}</span>}
        <span className="grow" />
        {hint && <span className="muted small">{t('hint.esc')}</span>}
        {children}
        {now && now.does !== 'ended' && (
          <button type="button" className="plain small" aria-expanded={why} onClick={() => setWhy(!why)}>
            {t(why ? 'act.why.hide' : 'act.why')}
          </button>
        )}
        <Steps chat={chat} session={session} again={again} steer={steer} />
      </div>
    </>
  );
}

function Words({ session, now }: { session: Session; now: Activity }) {
  const t = words.use();
  const key = t.has(now.at) ? now.at : now.does === 'ended' ? 'end.other' : 'at.other';
  return <span data-words="">{t(key, { n: session.queue_position ?? 0 })}</span>;
}

/** Screen readers get the text without the clocks. */
function Clock({ chat, session, now }: { chat: Chat; session: Session; now: Activity }) {
  const t = words.use();
  const f = useFormat();
  const time = useServerTime();
  if (now.does === 'ended') return null;
  const elapsed = time - chat.store.phaseSince;
  const deadline = deadlineOf(session, chat.store.open);
  const left = deadline ? Math.ceil((deadline.at - time) / 1000) * 1000 : 0;
  const next =
    deadline &&
    (left > 0
      ? t(`phase.${deadline.kind}`, { time: f.duration(left) })
      : deadline.kind === 'retry'
        ? t('phase.retry.now')
        : '');
  return (
    <span className="muted small" aria-hidden="true">
      {elapsed >= 1000 &&
        now.does !== 'waits' &&
        t('phase.since', { time: f.duration(Math.floor(elapsed / 1000) * 1000) })}
      {next && (
        <>
          {elapsed >= 1000 && now.does !== 'waits' && ' · '}
          <span data-deadline={deadline.kind}>{next}</span>
        </>
      )}
      {session.phase === 'WAITING_NETWORK_RETRY' && (session.waiting_context?.attempt ?? 0) > 0 && (
        <> · {t('phase.attempt', { n: session.waiting_context!.attempt! })}</>
      )}
    </span>
  );
}

function Steps({
  chat,
  session,
  again,
  steer,
}: {
  chat: Chat;
  session: Session;
  again: string;
  steer: ReturnType<typeof useSessionControl>;
}) {
  const t = words.use();
  const [ending, setEnding] = useState(false);
  const [asking, ask] = useState(false);
  const go = (step: Step) => () => void steer.run(step);
  const end = async () => {
    const { data } = await api.POST('/v1/sessions/{session_id}/stop', { params: { path: { session_id: chat.id } } });
    chat.store.take(data!.session);
  };
  const ended = session.status === 'ended';
  return (
    <>
      {again && (
        <button type="button" className="small" onClick={again === 'LIMIT_REACHED' ? () => ask(true) : go('retry')}>
          {t('act.again')}
        </button>
      )}
      {asking && <AgainDialog chat={chat} onClose={() => ask(false)} />}
      {!again && !ended && session.phase === 'WAITING_NETWORK_RETRY' && (
        <button type="button" className="small" onClick={go('retry')}>
          {t('act.retry')}
        </button>
      )}
      {session.phase === 'WAITING_COMPLETION_CONFIRMATION' && session.status === 'waiting' && (
        <Completion chat={chat} />
      )}
      {ended && session.type === 'CHAT' && (
        <button type="button" className="small primary" onClick={go('resume')}>
          {t('act.reopen')}
        </button>
      )}
      {!ended && session.type === 'CHAT' && session.phase !== 'IDLE' && (
        <button type="button" className="small" data-act="stop" onClick={go('interrupt')}>
          <Icon of={Square} size={14} />
          <span>{t('act.stop')}</span>
        </button>
      )}
      {!ended && session.type !== 'CHAT' && session.type !== 'SEED' && (
        <button type="button" className="small danger" onClick={() => setEnding(true)}>
          {t('act.end')}
        </button>
      )}
      {ending && (
        <Confirm title={t('end.title')} yes={t('end.yes')} danger act={end} onClose={() => setEnding(false)}>
          <p>{t('end.text')}</p>
        </Confirm>
      )}
    </>
  );
}

/** The AI reports that a run is done: a person may confirm or reject that before its timer ends. */
function Completion({ chat }: { chat: Chat }) {
  const t = words.use();
  const answer = useAction(async (confirmed: boolean) => {
    try {
      const { data } = await api.POST('/v1/sessions/{session_id}/completion', {
        params: { path: { session_id: chat.id } },
        body: { confirmed },
      });
      chat.store.take(data!.session);
    } catch (thrown) {
      chat.recheck(thrown);
      throw thrown;
    }
  });
  return (
    <>
      <button type="button" className="small primary" onClick={() => void answer.run(true)}>
        {t('act.confirm')}
      </button>
      <button type="button" className="small" onClick={() => void answer.run(false)}>
        {t('act.reject')}
      </button>
      {answer.problem != null && <ProblemBox thrown={answer.problem} onClose={answer.clear} />}
    </>
  );
}

/** The failure that ended the last round, so that it can be retried here; '' if none. A failure with a countdown has
 * its own button. */
function brokenIn(chat: Chat, session: Session): string {
  const { placed } = chat.store;
  if (session.status !== 'idle' || chat.outbox.items.length || retriesAt(placed) !== null) return '';
  return brokenBy(placed) ?? '';
}
