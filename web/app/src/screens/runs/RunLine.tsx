import { ChevronDown, ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import { Link } from 'wouter';
import { $api, type Schemas } from '../../api/client';
import { quoted } from '../../i18n/texts';
import { useFormat } from '../../i18n/format';
import { Icon } from '../../ui/Icon';
import { Markdown } from '../../ui/Markdown';
import { Elapsed, useWords } from '../../ui/session';
import { Time } from '../../ui/Time';
import { visible } from '../../ui/visible';
import { hasEnded } from './outcome';
import { OutcomeBadge } from './OutcomeBadge';
import { Place } from './Place';
import { RunActions } from './RunActions';
import css from './runs.module.css';
import { SeedThen } from './SeedThen';
import { texts } from './texts';

type Run = Schemas['AutomationRun'];
const shown = 400; // characters of the result
const excerpt = 160; // of them in one row

/** One run in a line: outcome, automation, start, duration and cost. The rest is collapsed. `named` adds the
 * automation's name. */
export function RunLine({ run, named }: { run: Run; named?: boolean }) {
  const t = texts.use();
  const f = useFormat();
  const words = useWords();
  const [open, setOpen] = useState(false);
  const id = useId();
  const { cost } = run.usage;
  return (
    <li data-run={run.session_id} data-status={run.status}>
      <div className={css.row}>
        <button
          type="button"
          className={`icon plain ${css.fold}`}
          aria-expanded={open}
          aria-controls={id}
          aria-label={t('details.of', { outcome: run.name.slice(0, 80) || t('unnamed') })}
          title={t('details')}
          data-row-main
          onClick={() => setOpen(!open)}
        >
          <Icon of={open ? ChevronDown : ChevronRight} />
        </button>
        <span className={css.outcome}>
          <OutcomeBadge run={run} />
        </span>
        <span className={css.name}>
          {named && (
            <Link href={`/automations/${run.automation_id}`}>
              <bdi>{visible(run.name) || t('unnamed')}</bdi>
            </Link>
          )}
          {run.final_text && <span className={css.excerpt}>{plain(run.final_text)}</span>}
        </span>
        <span className={css.started}>
          <Time at={run.started_at ?? run.requested_at} />
        </span>
        <span className={css.by}>{words.trigger(run.trigger)}</span>
        <span className={`${css.took} figures`}>
          {run.duration_ms !== null ? (
            f.duration(run.duration_ms)
          ) : run.started_at && !hasEnded(run) ? (
            <Elapsed since={run.started_at} />
          ) : (
            ''
          )}
        </span>
        <span className={`${css.cost} figures`}>{cost ? f.money(cost.amount, cost.currency) : ''}</span>
        <RunActions run={run} />
      </div>
      {run.status === 'queued' ? (
        <Place id={run.session_id} className={`small ${css.why}`} />
      ) : (
        !hasEnded(run) && <Why id={run.session_id} />
      )}
      <div id={id} hidden={!open} className={css.details}>
        {open && <Details run={run} />}
      </div>
    </li>
  );
}

/** The beginning of a Markdown text, for one line. */
const plain = (text: string) =>
  visible(
    text
      .slice(0, excerpt * 2)
      .replaceAll(/[*_`#>|]|\[|\]\([^)]*\)/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
      .slice(0, excerpt),
  );

/** The server's explanation of its state. */
function Why({ id }: { id: string }) {
  const query = $api.useQuery('get', '/v1/sessions/{session_id}/explain', { params: { path: { session_id: id } } });
  if (query.data) return <p className={`small ${css.why}`}>{quoted(query.data.text)}</p>;
  // Its space is reserved: otherwise the runs below would be pushed down.
  return query.isPending ? <p className={`small ${css.why}`} aria-hidden="true" /> : null;
}

function Details({ run }: { run: Run }) {
  const t = texts.use();
  return (
    <div className="stack tight">
      <Result text={run.final_text ?? ''} />
      <Facts run={run} />
      <SeedThen run={run} />
      <p className="row small">
        <Link href={`/chat/${run.session_id}`}>{t('open')}</Link>
        <Link href={`/timeline/${run.session_id}`}>{t('timeline')}</Link>
      </p>
    </div>
  );
}

function Result({ text }: { text: string }) {
  const t = texts.use();
  const [whole, setWhole] = useState(false);
  if (!text) return <p className="muted small">{t('no.result')}</p>;
  const long = text.length > shown;
  return (
    <div className={css.result}>
      <Markdown text={whole || !long ? text : `${text.slice(0, shown - 20)}…`} />
      {long && (
        <button type="button" className="link small" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {t(whole ? 'less' : 'whole')}
        </button>
      )}
    </div>
  );
}

function Facts({ run }: { run: Run }) {
  const t = texts.use();
  const f = useFormat();
  const { usage } = run;
  const tokens = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens;
  const late = run.scheduled_at && run.started_at && Date.parse(run.started_at) - Date.parse(run.scheduled_at) > 60_000;
  return (
    <p className="row small muted">
      <span>{t('roundtrips', { n: run.roundtrips })}</span>
      <span>{t('tokens', { n: tokens, count: f.number(tokens) })}</span>
      {late && <span>{t('late', { at: f.full(run.scheduled_at!) })}</span>}
    </p>
  );
}
