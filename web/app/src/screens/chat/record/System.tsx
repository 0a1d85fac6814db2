import { Link } from 'wouter';
import type { Schemas } from '../../../api/client';
import { useFormat } from '../../../i18n/format';
import { Time } from '../../../ui/Time';
import type { Chat } from '../store/chat';
import type { Message } from '../store/sessionStore';
import { texts } from '../texts';
import { again } from '../texts.again';
import { AskAgain } from './Ask';
import { CommandCard } from './Command';
import { Down } from './Down';
import { Long } from './Long';
import css from './record.module.css';

// Entries that a person has to notice; the others are single muted lines.
const loud = new Set(['SESSION_TIMEOUT', 'LIMIT_REACHED']);

/** An action of the server. */
export function SystemView({ chat, message }: { chat: Chat; message: Message }) {
  const t = texts.use();
  const said = message.system_message;
  const type = `sys.${said?.type}`;
  const title = t.has(type) ? t(type) : said?.summary || t('sys.other');
  const results = said?.command_results ?? [];
  if (message.execution_metadata) return <RunLine run={message.execution_metadata} />;
  if (results.length) {
    return (
      <div role="group" className={css.cards} aria-label={title} data-system={said?.type}>
        {results.map((r, i) => (
          <CommandCard
            key={r.execution_id ?? r.call_id ?? i}
            chat={chat}
            command={r.command}
            status={r.status}
            result={r}
            round={message.round_id}
            execution={chat.execution(r.execution_id)}
          />
        ))}
      </div>
    );
  }
  if (said?.type === 'CONTEXT_SUMMARY') {
    return (
      <section className={css.summed} data-system={said.type}>
        <Folded title={title} text={[said.summary, said.formatted_data].filter(Boolean).join('\n\n')} />
      </section>
    );
  }
  if (said?.type === 'VALIDATION_CANCELLED')
    return (
      <section className={css.quiet} data-system={said.type}>
        <p className="row">
          {title}
          <AskAgain chat={chat} after={message} />
        </p>
      </section>
    );
  if (said?.type === 'NETWORK_ERROR') return <Down chat={chat} message={message} />;
  if (said?.type === 'FORKED') return <Forked chat={chat} text={said.summary} />;
  if (loud.has(said?.type ?? '')) {
    return (
      <section className="box warn" data-system={said?.type}>
        <p>
          <strong>{title}</strong> {said?.type === 'LIMIT_REACHED' && said.summary}{' '}
          <span className="small">
            <Time at={message.timestamp} absolute />
          </span>
        </p>
      </section>
    );
  }
  return (
    <section className={css.quiet} data-system={said?.type}>
      <Folded
        title={title}
        text={[said?.summary === title ? '' : said?.summary, said?.formatted_data].filter(Boolean).join('\n\n')}
      />
    </section>
  );
}

/** The line between a fork's copied record and its own. */
function Forked({ chat, text }: { chat: Chat; text: string }) {
  const t = again.use();
  const from = chat.store.session?.forked_from;
  return (
    <section className="box" data-system="FORKED">
      <p>
        {text} {from && <Link href={`/chat/${from.session_id}`}>{t('fork.origin')}</Link>}
      </p>
    </section>
  );
}

/** The duration and usage of a run. */
function RunLine({ run }: { run: Schemas['ExecutionMetadata'] }) {
  const t = texts.use();
  const f = useFormat();
  return (
    <section className={css.quiet} data-system="RUN">
      <p>
        {t('sys.run', { time: f.duration(run.duration_ms), n: run.tokens, tokens: f.number(run.tokens) })}
        {run.cost ? ` ${f.money(run.cost.amount, run.cost.currency)}.` : ''}
      </p>
    </section>
  );
}

function Folded({ title, text }: { title: string; text: string }) {
  if (!text) return <p>{title}</p>;
  return (
    <details className={css.fold}>
      <summary>{title}</summary>
      <Long text={text} most={8000}>
        {(shown) => <pre>{shown}</pre>}
      </Long>
    </details>
  );
}
