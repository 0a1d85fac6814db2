import { useState } from 'react';
import { Link } from 'wouter';
import { $api, type Schemas } from '../../../api/client';
import { useFormat } from '../../../i18n/format';
import { Time } from '../../../ui/Time';
import { meansOf } from '../../runs/outcome';
import { showRunsOf } from '../../runs/filter';
import css from '../automations.module.css';
import { DeleteDialog } from '../actions/DeleteDialog';
import { Marks } from './Marks';
import { RanBox, useRunNow } from '../actions/RunNow';
import { useSwitch } from '../actions/useSwitch';
import { texts } from '../texts';
import { browserZone } from '../draft/schedule';
import { StartWords } from '../words';
import { ProblemBox } from '../../../ui/Problem';

type Automation = Schemas['Automation'];

/** When it runs next, or why it does not. */
export function NextRun({ of: a }: { of: Automation }) {
  const t = texts.use();
  const f = useFormat();
  if (!a.enabled) return <span className="muted">{t('next.paused')}</span>;
  if (!a.next_run_at) return <span className="muted">{a.triggers.length ? t('next.events') : t('next.none')}</span>;
  const zone = a.schedule?.time_zone;
  const elsewhere = zone !== undefined && zone !== browserZone();
  return (
    <span>
      {t('next.run')} <Time at={a.next_run_at} zone={zone} />{' '}
      <span className="muted">
        {f.time(a.next_run_at, zone)}
        {elsewhere && ` ${t('zone.of', { zone })}`}
      </span>
    </span>
  );
}

/** That the server itself paused it, why, and what to do. */
export function PausedByServer({ of: a }: { of: Automation }) {
  const t = texts.use();
  if (a.enabled || !a.disabled_reason) return null;
  return (
    <div className="box warn stack tight" data-disabled={a.disabled_reason}>
      {a.disabled_reason === 'failures' ? (
        <p>
          <strong>{t('failures.what')}</strong> {t('failures.do')}
        </p>
      ) : (
        <p>{t('disabled.other', { reason: a.disabled_reason })}</p>
      )}
      <p>
        <Link href="/runs" onClick={() => showRunsOf(a.id)}>
          {t('failures.look')}
        </Link>
      </p>
    </div>
  );
}

/** One automation of the list: all that matters about it on one card. */
export function Row({ of: a }: { of: Automation }) {
  const t = texts.use();
  const f = useFormat();
  const [deleting, setDeleting] = useState(false);
  const run = useRunNow(a.id);
  const toggle = useSwitch(a);
  const runs = $api.useQuery('get', '/v1/automations/{automation_id}/executions', {
    params: { path: { automation_id: a.id }, query: { limit: 10 } },
  });
  const means = meansOf(runs.data?.data ?? []);
  const called = (what: string) => t('of.name', { what, name: a.name });
  return (
    <li className="card stack tight" data-automation={a.id}>
      <div className={css.row}>
        <div className="stack tight grow">
          <h2 className={css.name}>
            <Link href={`/automations/${a.id}`} className="clamp">
              {a.name}
            </Link>
          </h2>
          <p>
            <StartWords of={a} />
          </p>
          <p className="small">
            <NextRun of={a} />
          </p>
          {a.tags.length > 0 && (
            <p className="row">
              {a.tags.map((tag) => (
                <span key={tag} className="badge">
                  {tag}
                </span>
              ))}
            </p>
          )}
        </div>
        <div className={css.facts}>
          <span className={a.enabled ? 'badge ok' : 'badge warn'}>{t(a.enabled ? 'enabled' : 'paused')}</span>
          {runs.data && <Marks runs={runs.data.data} />}
          {means.duration !== null && (
            <span className="small muted">{t('mean.duration', { duration: f.duration(means.duration) })}</span>
          )}
          {means.cost !== null && (
            <span className="small muted">{t('mean.cost', { cost: f.money(means.cost, 'USD') })}</span>
          )}
        </div>
      </div>
      <PausedByServer of={a} />
      <div className="row">
        <button
          type="button"
          className="small"
          disabled={run.busy}
          aria-label={called(t('run'))}
          onClick={() => void run.run()}
        >
          {t('run')}
        </button>
        <button
          type="button"
          className="small"
          disabled={toggle.busy}
          aria-label={called(t(a.enabled ? 'pause' : 'enable'))}
          onClick={() => void toggle.run()}
        >
          {t(a.enabled ? 'pause' : 'enable')}
        </button>
        <Link href={`/automations/${a.id}`} className="button small" aria-label={called(t('edit'))}>
          {t('edit')}
        </Link>
        <button
          type="button"
          className="plain small"
          aria-label={called(t('delete'))}
          onClick={() => setDeleting(true)}
        >
          {t('delete')}
        </button>
      </div>
      <RanBox result={run.result} problem={run.problem} />
      {toggle.problem != null && <ProblemBox thrown={toggle.problem} onClose={toggle.clear} />}
      {deleting && <DeleteDialog of={a} onClose={() => setDeleting(false)} />}
    </li>
  );
}
