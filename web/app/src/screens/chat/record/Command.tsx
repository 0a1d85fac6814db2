import { useState } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../../../api/client';
import { useFormat } from '../../../i18n/format';
import { commandName } from '../../../ui/commandName';
import { failureWords } from '../../../ui/textsOfCommands';
import { visible } from '../../../ui/visible';
import { UndoButton } from '../../../undo/UndoButton';
import type { Chat } from '../store/chat';
import { tookOf } from '../store/reads';
import type { Execution } from '../store/sessionStore';
import { texts } from '../texts';
import { Long } from './Long';
import { linksOf } from './links';
import { Origin } from './Origin';
import { AgentOf, callsAgent, TaskOf } from './Outside';
import css from './record.module.css';

interface Props {
  chat: Chat;
  command: string;
  status: string;
  result?: Schemas['CommandResult'];
  execution?: Execution;
  round?: string;
}

const tone: Record<string, string> = {
  SUCCESS: 'ok',
  FAILED: 'bad',
  UNKNOWN: 'bad',
  CANCELLED: 'warn',
  STARTED: 'accent',
  PENDING: 'accent',
};

const running = new Set(['PLANNED', 'APPROVED', 'STARTED', 'PENDING']);

// Commands that put a question to a person, or to the caller of an agent: they change nothing.
const asks = new Set(['ASK_USER', 'ASK_PRINCIPAL']);

// Codes of commands that had started before they were cancelled.
const begun = new Set(['task_cancelled', 'task_cancelled_by_service', 'not_finished']);

/** The key of the text for an outcome. */
function stateOf(command: string, status: string, code?: string): string {
  if (status !== 'CANCELLED') return `exec.${status}`;
  if (asks.has(command)) return 'exec.unanswered';
  return code && begun.has(code) ? 'exec.cut' : 'exec.CANCELLED';
}

// Only unexpected outcomes are shown.
const expected = new Set(['SUCCESS', 'CACHED', 'PENDING']);

/** One command: its summary and outcome; parameters and result are folded. */
export function CommandCard({ chat, command, status, result, execution, round }: Props) {
  const t = texts.use();
  const f = useFormat();
  const [open, setOpen] = useState(false);
  const error = result?.error ?? execution?.error;
  const state = stateOf(command, status, error?.code);
  const took = tookOf([execution]);
  return (
    <div className={css.card} data-command={command} data-status={status}>
      <div className={css.what}>
        <details
          open={open}
          onToggle={(e) => {
            setOpen(e.currentTarget.open);
            if (e.currentTarget.open && !execution) chat.needRound(round);
          }}
        >
          <summary>
            <span className="clamp">
              <bdi>{visible(inWords(result?.summary) || named(t, command, status, execution))}</bdi>
            </span>
            <span className={css.outcome}>
              {!expected.has(status) && (
                <span className={`badge ${tone[status] ?? ''}`}>{t.has(state) ? t(state) : t('sys.other')}</span>
              )}
              {status === 'CACHED' && t(execution?.kind === 'action' ? 'exec.repeated' : 'exec.CACHED')}
              {took !== null && took > 0 && status !== 'PENDING' && f.duration(took)}
            </span>
          </summary>
          {open && <Inside command={command} result={result} execution={execution} />}
        </details>
        {execution && <Made execution={execution} />}
        {execution && <UndoButton execution={execution} />}
      </div>
      {error && <Wrong error={error} />}
      <Elsewhere chat={chat} command={command} status={status} result={result} execution={execution} />
    </div>
  );
}

/** The link to an automation that a command created. */
function Made({ execution }: { execution: Execution }) {
  const t = texts.use();
  if (execution.command !== 'CREATE_AUTOMATION' || execution.status !== 'SUCCESS') return null;
  return linksOf(execution.result).map((l) => (
    <Link key={l.href} href={l.href} className="small" data-made="">
      {t(`exec.${l.noun}`)}
    </Link>
  ));
}

/** The server's summary; '' if it is only the name of an unknown command. */
const inWords = (summary?: string) => (summary && !/^[A-Z_]+$/.test(summary) ? summary : '');

/** A text for a command without a summary. Commands of connectors keep their names. */
function named(t: ReturnType<typeof texts.use>, command: string, status: string, execution?: Execution): string {
  if (asks.has(command)) return t('exec.asked');
  if (command.includes('.')) return commandName(command);
  const reads = execution?.kind === 'query';
  if (running.has(status)) return t(reads ? 'exec.reading' : 'exec.changing');
  if (status === 'CACHED' && !reads) return t('exec.again');
  return t(reads ? 'exec.read' : 'exec.change');
}

/** Why it failed; fields are listed only if they add information. */
function Wrong({ error }: { error: Schemas['CommandError'] }) {
  texts.use(); // re-rendered when the language changes
  const { words, fields } = failureWords(error);
  return (
    <div className={css.wrong}>
      <p>{words}</p>
      {fields.length > 0 && (
        <ul>
          {fields.map((x) => (
            <li key={x.pointer + x.code}>
              {x.pointer && <code>{x.pointer}</code>} {x.message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** External work for the command: a task of another service, an agent. */
function Elsewhere({ chat, command, status, result, execution }: Props) {
  const id = execution?.id ?? result?.execution_id;
  const agent = callsAgent(command) && status !== 'CANCELLED' && status !== 'APPROVED';
  if (!id || (status !== 'PENDING' && !agent)) return null;
  return (
    <div className={css.inside}>
      {agent ? (
        <AgentOf execution={id} text={result?.text ?? execution?.text} />
      ) : (
        <TaskOf session={chat.id} execution={id} />
      )}
    </div>
  );
}

function Inside({ command, result, execution }: Pick<Props, 'command' | 'result' | 'execution'>) {
  const t = texts.use();
  const text = result?.text ?? execution?.text;
  const links = linksOf(execution?.params, execution?.result);
  // The AI's text for a change contains ids: people get the summary.
  const read = execution?.kind === 'query';
  const error = result?.error ?? execution?.error;
  const forAI = [error && failureWords(error).forAI, result?.note ?? execution?.note].filter(Boolean).join('\n');
  return (
    <div className={css.inside}>
      <p className="row small">
        <Origin from={result?.from} />
        {execution && execution.attempt > 1 && (
          <span className="muted">{t('exec.attempt', { n: execution.attempt })}</span>
        )}
        {links.map((l) => (
          <Link key={l.href} href={l.href}>
            {t(`exec.${l.noun}`)}
          </Link>
        ))}
      </p>
      {text && read && <Labelled label={t('exec.result')} text={text} />}
      {(execution || forAI || (text && !read)) && (
        <details className={css.fold} data-raw="">
          <summary>{t('exec.raw')}</summary>
          <p>
            <code>{command}</code>
          </p>
          {execution && <Labelled label={t('exec.params')} text={JSON.stringify(execution.params, null, 1)} />}
          {text && !read && <Labelled label={t('exec.result')} text={text} />}
          {forAI && <Labelled label={t('exec.told')} text={forAI} />}
        </details>
      )}
      {!text && !forAI && !execution && <p className="muted small">{t('exec.none')}</p>}
    </div>
  );
}

function Labelled({ label, text }: { label: string; text: string }) {
  return (
    <div>
      <p className="muted small">{label}</p>
      <Long text={text} most={3000}>
        {(shown) => <pre>{shown}</pre>}
      </Long>
    </div>
  );
}
