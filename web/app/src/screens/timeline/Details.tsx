import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useFormat } from '../../i18n/format';
import { useWords } from '../../ui/session';
import { failureWords } from '../../ui/textsOfCommands';
import { UndoButton } from '../../undo/UndoButton';
import { demoModel } from '../usage/insight';
import { Block } from './Block';
import type { Item } from './model';
import { RawAnswer } from './RawAnswer';
import { durationOf, whatOf } from './say';
import { inWords, texts } from './texts';
import styles from './timeline.module.css';

type Facts = [label: string, value: ReactNode][];

/** Everything recorded about a row. */
export function Details({ item, session }: { item: Item; session: string }) {
  const t = texts.use();
  const f = useFormat();
  const words = useWords();
  const when: Facts = [
    [t('d.at'), f.full(item.at)],
    [t('d.end'), item.end === null || item.open ? '' : f.full(item.end)],
    [t('d.duration'), `${durationOf(item, f)}${item.open ? ` (${t('going')})` : ''}`.trim()],
  ];
  return (
    <div className="stack tight" data-details={item.key}>
      <h2 className="h3 clamp">{whatOf(item, t, words)}</h2>
      {item.kind === 'transition' && <TransitionDetails item={item} when={when} />}
      {item.kind === 'call' && <CallDetails key={item.key} item={item} when={when} session={session} />}
      {item.kind === 'execution' && <ExecutionDetails item={item} when={when} />}
      {item.kind === 'approval' && <ApprovalDetails item={item} when={when} />}
      {item.kind === 'wait' && (
        <List
          facts={[...when, [t('d.status'), words.status(item.status)], [t('sum.phase'), words.phase(item.phase)]]}
        />
      )}
    </div>
  );
}

/** Facts that have a value. */
function List({ facts }: { facts: Facts }) {
  return (
    <dl className={styles.facts}>
      {facts
        .filter(([, value]) => value !== '' && value !== null && value !== undefined)
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** The text of a server name, with the name itself for reference. */
const Named = ({ words, name }: { words: string; name: string }) =>
  words === name ? (
    <code>{name}</code>
  ) : (
    <>
      {words} <code className="muted">{name}</code>
    </>
  );

interface Of<K extends Item['kind']> {
  item: Extract<Item, { kind: K }>;
  when: Facts;
}

function TransitionDetails({ item, when }: Of<'transition'>) {
  const t = texts.use();
  const words = useWords();
  const s = item.transition;
  return (
    <List
      facts={[
        [t('d.event'), <Named key="e" words={inWords(t, 'event', s.event)} name={s.event} />],
        [t('d.reason'), s.reason ? inWords(t, 'reason', s.reason) : ''],
        [t('d.from'), <Named key="f" words={words.phase(s.from)} name={s.from} />],
        [t('d.to'), <Named key="t" words={words.phase(s.phase)} name={s.phase} />],
        [t('d.status'), words.status(s.status)],
        ...when.slice(0, 1),
        [t('d.number'), s.number],
        [t('d.epoch'), s.epoch],
        [t('d.round'), s.round_id && <code>{s.round_id}</code>],
      ]}
    />
  );
}

function CallDetails({ item, when, session }: Of<'call'> & { session: string }) {
  const t = texts.use();
  const f = useFormat();
  const c = item.call;
  const u = c.usage;
  return (
    <>
      <List
        facts={[
          [t('d.outcome'), inWords(t, 'outcome', c.outcome)],
          [t('d.error'), c.error ?? ''],
          [t('d.purpose'), inWords(t, 'purpose', c.purpose)],
          [t('d.reason'), inWords(t, 'reason', c.reason)],
          [t('d.model'), c.model],
          [t('d.provider'), c.provider_kind],
          ...when,
          [t('d.first'), c.time_to_first_token_ms === null ? '' : f.duration(c.time_to_first_token_ms)],
          [t('d.input'), f.number(u.input_tokens + u.cache_read_tokens + u.cache_write_tokens)],
          [t('d.cached'), u.cache_read_tokens ? f.number(u.cache_read_tokens) : ''],
          [t('d.written'), u.cache_write_tokens ? f.number(u.cache_write_tokens) : ''],
          [t('d.output'), f.number(u.output_tokens)],
          [t('d.thought'), u.reasoning_tokens ? f.number(u.reasoning_tokens) : ''],
          [
            t('d.cost'),
            u.cost ? f.money(u.cost.amount, u.cost.currency) : t(c.model === demoModel ? 'd.cost.free' : 'd.cost.none'),
          ],
          [t('d.estimate'), f.number(c.prompt_tokens)],
          [t('d.rules'), c.prompt_parts && f.number(c.prompt_parts.rules)],
          [t('d.commands'), c.prompt_parts && f.number(c.prompt_parts.commands)],
          [t('d.data'), c.prompt_parts && f.number(c.prompt_parts.data)],
          [t('d.conversation'), c.prompt_parts && f.number(c.prompt_parts.conversation)],
          [t('d.reused'), c.prompt_reused_tokens ? f.number(c.prompt_reused_tokens) : ''],
          [t('d.hash'), c.prompt_hash && <code className={styles.hash}>{c.prompt_hash}</code>],
        ]}
      />
      {c.message_id && <RawAnswer session={session} message={c.message_id} />}
    </>
  );
}

function ExecutionDetails({ item, when }: Of<'execution'>) {
  const t = texts.use();
  const f = useFormat();
  const e = item.execution;
  const waited = item.mark === null ? 0 : item.mark - item.at;
  const forAI = [e.error && failureWords(e.error).forAI, e.note].filter(Boolean).join('\n');
  return (
    <>
      <List
        facts={[
          [t('d.command'), <Named key="c" words={inWords(t, 'command', e.command)} name={e.command} />],
          [t('d.status'), inWords(t, 'exec', e.status)],
          [t('d.error'), e.error ? `${failureWords(e.error).words} (${e.error.code})` : ''],
          [t('d.kind'), inWords(t, 'kind', e.kind)],
          [t('d.effect'), inWords(t, 'effect', e.effect)],
          ...when,
          [t('d.waited'), waited > 0 ? f.duration(waited) : ''],
          [t('d.attempt'), e.attempt],
          [t('d.grant'), e.grant_id && <code>{e.grant_id}</code>],
          [t('d.note'), forAI],
        ]}
      />
      {item.cut.length === 0 && (
        <div className="row">
          <UndoButton key={e.id} execution={e} />
        </div>
      )}
      <Json title={t('d.params')} value={e.params} />
      {e.text && <Block title={t('d.text')} text={e.text} />}
      <Json title={t('d.result')} value={e.result} />
      {item.cut.length > 0 && (
        <p className="box warn small">
          {t('d.cut', {
            what: f.list(item.cut.map((c) => t(c === 'params' ? 'd.params' : c === 'result' ? 'd.result' : 'd.text'))),
          })}
        </p>
      )}
    </>
  );
}

function ApprovalDetails({ item, when }: Of<'approval'>) {
  const t = texts.use();
  const f = useFormat();
  const words = useWords();
  const a = item.approval;
  return (
    <>
      <List
        facts={[
          [t('d.approval'), words.approval(a.kind)],
          [t('d.status'), inWords(t, 'approval', a.status)],
          [t('d.by'), a.settled_by ?? ''],
          ...when,
          [t('d.expires'), a.expires_at ? f.full(a.expires_at) : ''],
          [
            t('d.reason'),
            a.reasons.length ? (
              <ul key="r" className="plain">
                {a.reasons.map((r) => (
                  <li key={r.level + r.text}>{r.text}</li>
                ))}
              </ul>
            ) : (
              ''
            ),
          ],
          [
            t('d.actions'),
            a.actions.length ? (
              <ul key="a" className="plain">
                {a.actions.map((x) => (
                  <li key={x.id}>{x.text}</li>
                ))}
              </ul>
            ) : (
              ''
            ),
          ],
          [
            t('d.link'),
            a.status === 'open' ? (
              <Link key="l" href="/approvals">
                {t('why.approval')}
              </Link>
            ) : (
              ''
            ),
          ],
        ]}
      />
      {a.decision != null && <Json title={t('d.answer')} value={a.decision} />}
    </>
  );
}

function Json({ title, value }: { title: string; value: unknown }) {
  if (value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0))
    return null;
  return <Block title={title} text={JSON.stringify(value, null, 2)} />;
}
