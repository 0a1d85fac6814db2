import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { asProblem } from '../../api/problem';
import { announce } from '../../shell/announce';
import { ProblemBox } from '../../ui/Problem';
import { useWhole } from '../../ui/whole';
import css from './chat.module.css';
import { Composer } from './compose/Composer';
import compose from './compose/compose.module.css';
import { modeOf } from './compose/mode';
import { PhaseLine, useSessionControl } from './compose/PhaseLine';
import { useDraft } from './compose/useDraft';
import { WaitingMessages } from './compose/Waiting';
import head from './head/head.module.css';
import { Head } from './head/Head';
import { nameOf } from './head/name';
import { SlotNote } from './head/SlotNote';
import { markSeen } from './list/seen';
import { useFork } from './record/Actions';
import { Record } from './record/Record';
import type { Chat } from './store/chat';
import type { Session } from './store/sessionStore';
import { emptyDraft, isEmpty, joinDrafts, keepDraft, readDraft, type Draft } from './store/drafts';
import { begunSession, wasBegun } from './store/outbox';
import { texts } from './texts';
import { again } from './texts.again';
import { words } from './texts.compose';
import { useChat } from './useChat';
import { useField } from './useField';
import { useTabTitle } from './useTabTitle';

/** An open chat, or an automation's run, which is displayed the same way. */
export function OpenChat({ id, toggle }: { id: string; toggle: ReactNode }) {
  const t = texts.use();
  const chat = useChat(id);
  const { session } = chat.store;
  useEffect(() => {
    document.body.dataset.session = id; // so that notices do not repeat
    return () => {
      delete document.body.dataset.session;
    };
  }, [id]);
  useEffect(() => {
    if (session && !document.hidden) markSeen(session);
  }, [session]);
  useTabTitle(session ? nameOf(session, t).slice(0, 80) : t('title'));
  if (chat.gone) return <Gone chat={chat} toggle={toggle} />;
  const passes = chat.problem != null && asProblem(chat.problem).retryable;
  if (!session && chat.problem != null && !passes)
    return (
      <Missing toggle={toggle}>
        <ProblemBox thrown={chat.problem} onRetry={() => void chat.load()} />
      </Missing>
    );
  return <Talk chat={chat} session={session} passes={passes} toggle={toggle} />;
}

interface TalkProps {
  chat: Chat;
  session: Session | null;
  /** The failure to load it is temporary. */
  passes: boolean;
  toggle: ReactNode;
}

/** The head, the record and the message field. The record is shown once everything that moves it has loaded. */
function Talk({ chat, session, passes, toggle }: TalkProps) {
  const t = texts.use();
  const box = useRef<HTMLDivElement>(null);
  const whole = useWhole(box);
  const [begun] = useState(() => begunSession(chat.id) !== null); // there is nothing to load
  const [sent, count] = useState(0);
  return (
    <div ref={box} className={css.talk} data-loading={whole || begun ? undefined : ''}>
      {session ? (
        <Head chat={chat} session={session} toggle={toggle} />
      ) : (
        <header className={head.head}>
          <div className={head.title}>
            {toggle}
            <h1 tabIndex={-1} id="page-title" className="visually-hidden">
              {t('title')}
            </h1>
            <div className="skeleton coming" />
          </div>
        </header>
      )}
      {session && <SlotNote session={session} />}
      {session || chat.outbox.items.length ? (
        <Record chat={chat} sent={sent} />
      ) : passes ? (
        <NotRead chat={chat} />
      ) : (
        <RecordComing />
      )}
      <Dock chat={chat} session={session} onSent={() => count((n) => n + 1)} />
    </div>
  );
}

/** Shown instead of the record if it cannot be read. Messages can be written meanwhile. */
function NotRead({ chat }: { chat: Chat }) {
  return (
    <div className={css.filler}>
      <ProblemBox thrown={chat.problem} onRetry={() => void chat.load()} />
    </div>
  );
}

/** Shown instead of the record while it loads. */
function RecordComing() {
  const t = texts.use();
  return (
    <div className={css.filler} role="status" data-loading>
      <span className="visually-hidden">{t('loading')}</span>
      {[1, 2].map((n) => (
        <div key={n} className={css.pair}>
          <div className={`skeleton ${css.mine}`} />
          <div className={`skeleton ${css.answer}`} />
        </div>
      ))}
    </div>
  );
}

/** The chat was deleted. Its unsent messages are kept. */
function Gone({ chat, toggle }: { chat: Chat; toggle: ReactNode }) {
  const t = texts.use();
  const [, go] = useLocation();
  const left = [...chat.outbox.items.map((i) => i.draft), readDraft(chat.id)].filter((d) => !isEmpty(d));
  const take = () => {
    keepDraft(
      undefined,
      [...left, readDraft(undefined)].reduce((all, d) => (isEmpty(all) ? d : joinDrafts(all, d)), emptyDraft),
    );
    for (const item of chat.outbox.items) chat.outbox.remove(item.key);
    keepDraft(chat.id, emptyDraft);
    go('/chat');
  };
  return (
    <Missing toggle={toggle}>
      <p>{t('gone')}</p>
      {left.length > 0 && (
        <div className="box stack tight">
          <p>{t('gone.kept')}</p>
          {left.map((d) => (
            <blockquote key={d.text} className="preserve clamp">
              {d.text}
            </blockquote>
          ))}
        </div>
      )}
      <p className="row">
        {left.length > 0 ? (
          <button type="button" className="primary" onClick={take}>
            {t('gone.take')}
          </button>
        ) : (
          <Link href="/chat" className="button">
            {t('gone.list')}
          </Link>
        )}
      </p>
    </Missing>
  );
}

function Missing({ toggle, children }: { toggle: ReactNode; children: ReactNode }) {
  const t = texts.use();
  return (
    <div className={`stack ${css.missing}`}>
      <div className="row">
        {toggle}
        <h1 tabIndex={-1} id="page-title">
          {t('title')}
        </h1>
      </div>
      {children}
    </div>
  );
}

/** The note below a session that accepts no messages, by its type. */
const readonly = { SEED: 'readonly.seed', AGENT: 'readonly.agent', AUTOMATION: 'readonly' } as const;

/** Below the record: the session's activity, queued messages, and the message field. */
function Dock({ chat, session, onSent }: { chat: Chat; session: Session | null; onSent: () => void }) {
  const t = words.use();
  const { draft, set } = useDraft(chat.id);
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
  });
  useField();
  useEffect(() => {
    if (wasBegun(chat.id)) document.getElementById('message')?.focus(); // the field had the focus, on a touch screen too
  }, [chat]);
  const steer = useSessionControl(chat);
  const escape = useEscape(() => void steer.run('interrupt'));
  const working = session !== null && session.type === 'CHAT' && modeOf(session) === 'busy';
  const back = (text: Draft) => {
    set(joinDrafts(text, latest.current));
    document.getElementById('message')?.focus();
  };
  useEffect(() => chat.ownField(back));
  return (
    <div className={compose.dock}>
      <PhaseLine chat={chat} steer={steer} hint={escape.armed && working}>
        <WaitingMessages chat={chat} onBack={back} />
      </PhaseLine>
      {session && session.type !== 'CHAT' && (
        <div className={`row muted ${compose.readonly}`} data-readonly>
          <span>{t(readonly[session.type])}</span>
          {session.automation_id && (
            <Link href={`/automations/${session.automation_id}`} className="button small">
              {t('readonly.automation')}
            </Link>
          )}
          {session.type === 'AUTOMATION' && <AsChat chat={chat} />}
        </div>
      )}
      {session?.type === 'CHAT' && session.status === 'ended' && <p className="muted small">{t('ended')}</p>}
      {(!session || session.type === 'CHAT') && (
        <Composer
          draft={draft}
          onDraft={set}
          mode={modeOf(session)}
          onEscape={working ? escape.press : undefined}
          onSend={(said, ifBusy) => {
            chat.outbox.add(said, ifBusy);
            onSent();
          }}
        />
      )}
    </div>
  );
}

/** Continues a run as a new chat, from the end of its record. */
function AsChat({ chat }: { chat: Chat }) {
  const t = again.use();
  const fork = useFork(chat);
  const last = chat.store.placed.at(-1);
  if (!last) return null;
  return (
    <>
      <button
        type="button"
        className="small"
        data-act="as-chat"
        disabled={fork.busy}
        onClick={() => void fork.run(last.id)}
      >
        {t('act.asChat')}
      </button>
      {fork.problem != null && <ProblemBox thrown={fork.problem} onClose={fork.clear} />}
    </>
  );
}

/** Escape stops the session only when pressed twice: once happens by accident. */
function useEscape(stop: () => void) {
  const [armed, arm] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const press = () => {
    clearTimeout(timer.current);
    if (armed) {
      arm(false);
      stop();
      return;
    }
    arm(true);
    announce(texts.t('said.esc'));
    timer.current = setTimeout(() => arm(false), 2000);
  };
  return { armed, press };
}
