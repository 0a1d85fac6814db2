import { useState } from 'react';
import { Link } from 'wouter';
import { $api, type Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { Markdown } from '../../ui/Markdown';
import { useWords } from '../../ui/session';
import { Elapsed } from '../../ui/session';
import { Time } from '../../ui/Time';
import { hasEnded } from './outcome';
import { OutcomeBadge } from './OutcomeBadge';
import { RunActions } from './RunActions';
import { SeedThen } from './SeedThen';
import { texts } from './texts';

type Run = Schemas['AutomationRun'];
const shown = 400; // characters of the result

/** One run: what came of it, when and why it started, what it said, took and cost. `named`
 * also says whose run it is. */
export function RunLine({ run, named }: { run: Run; named?: boolean }) {
  const t = texts.use();
  const words = useWords();
  const [seed, setSeed] = useState(false);
  return (
    <li className="card stack tight" data-run={run.session_id} data-status={run.status}>
      <p className="row">
        <OutcomeBadge run={run} />
        {named && (
          <Link href={`/automations/${run.automation_id}`} className="clamp">
            {run.name || t('unnamed')}
          </Link>
        )}
        <span className="small muted">
          <Time at={run.started_at ?? run.requested_at} /> · {words.trigger(run.trigger)}
        </span>
      </p>
      {!hasEnded(run) && <Why id={run.session_id} />}
      <Result text={run.final_text ?? ''} />
      <Facts run={run} />
      <div className="row small">
        <Link href={`/chat/${run.session_id}`} className="button small">
          {t('open')}
        </Link>
        <Link href={`/timeline/${run.session_id}`} className="button plain small">
          {t('timeline')}
        </Link>
        <button type="button" className="plain small" aria-expanded={seed} onClick={() => setSeed(!seed)}>
          {t('seed')}
        </button>
        <RunActions run={run} />
      </div>
      {seed && <SeedThen run={run} />}
    </li>
  );
}

/** Why it stands where it stands, in the server's words. */
function Why({ id }: { id: string }) {
  const query = $api.useQuery('get', '/v1/sessions/{session_id}/explain', { params: { path: { session_id: id } } });
  return query.data ? <p className="small">{query.data.text}</p> : null;
}

function Result({ text }: { text: string }) {
  const t = texts.use();
  const [whole, setWhole] = useState(false);
  if (!text) return null;
  const long = text.length > shown;
  return (
    <div>
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
      {run.duration_ms !== null ? (
        <span>{t('took', { duration: f.duration(run.duration_ms) })}</span>
      ) : (
        run.started_at &&
        !hasEnded(run) && (
          <span>
            {t('since')} <Elapsed since={run.started_at} />
          </span>
        )
      )}
      <span>{t('roundtrips', { n: run.roundtrips })}</span>
      <span>{t('tokens', { n: tokens, count: f.number(tokens) })}</span>
      {usage.cost && <span>{f.money(usage.cost.amount, usage.cost.currency)}</span>}
      {late && <span>{t('late', { at: f.full(run.scheduled_at!) })}</span>}
    </p>
  );
}
