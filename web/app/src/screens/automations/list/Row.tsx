import { CircleAlert, CircleCheck, CirclePause } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { $api, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/me';
import { useFormat } from '../../../i18n/format';
import { Icon } from '../../../ui/Icon';
import { ProblemBox } from '../../../ui/Problem';
import { visible } from '../../../ui/visible';
import { DeleteDialog } from '../actions/DeleteDialog';
import { RanBox, useRunNow } from '../actions/RunNow';
import { useSwitch } from '../actions/useSwitch';
import { Menu } from '../../rows/Menu';
import { meansOf } from '../../runs/outcome';
import { runsOf } from '../../runs/filter';
import { texts } from '../texts';
import { StartWords } from '../words';
import css from './list.module.css';
import { Marks } from './Marks';
import { NextRun, PausedByServer } from './Next';
import { healthOf, type Health } from './health';

type Automation = Schemas['Automation'];

/** One automation in one line: name, schedule and health. */
export function Row({ of: a }: { of: Automation }) {
  const t = texts.use();
  const f = useFormat();
  const [deleting, setDeleting] = useState(false);
  const run = useRunNow(a.id);
  const toggle = useSwitch(a);
  const runs = $api.useQuery('get', '/v1/automations/{automation_id}/executions', {
    params: { path: { automation_id: a.id }, query: { limit: 10 } },
  });
  const providers = $api.useQuery('get', '/v1/providers', { params: { query: { limit: 200 } } });
  const is = healthOf(a, runs.data?.data ?? [], providers.data?.data);
  const { duration, cost } = meansOf(runs.data?.data ?? []);
  return (
    <li data-automation={a.id} data-is={is}>
      <div className={css.row}>
        <Sign is={is} />
        <span className={css.name}>
          <Link href={`/automations/${a.id}`} data-row-main>
            <bdi>{visible(a.name)}</bdi>
          </Link>
          {a.tags.slice(0, 3).map((tag) => (
            <span key={tag} className={`badge ${css.tag}`}>
              <bdi>{visible(tag)}</bdi>
            </span>
          ))}
        </span>
        <span className={css.when}>
          <StartWords of={a} />
        </span>
        <span className={css.next}>{is === 'no_provider' ? t('next.no_provider') : <NextRun of={a} />}</span>
        <span className={css.last}>{runs.data && <Marks runs={runs.data.data} />}</span>
        <span
          className={`${css.took} figures`}
          title={cost === null ? undefined : t('mean.cost', { cost: f.money(cost, 'USD') })}
        >
          {duration !== null && (
            <>
              <span className="visually-hidden">{t('col.took')} </span>
              {f.duration(duration)}
            </>
          )}
        </span>
        <span className={css.acts}>
          <Fix of={a} is={is} />
          <Actions of={a} run={run} toggle={toggle} onDelete={() => setDeleting(true)} />
        </span>
      </div>
      {is === 'stopped' && <PausedByServer of={a} />}
      <RanBox result={run.result} problem={run.problem} />
      {toggle.problem != null && <ProblemBox thrown={toggle.problem} onClose={toggle.clear} />}
      {deleting && <DeleteDialog of={a} onClose={() => setDeleting(false)} />}
    </li>
  );
}

const signs = {
  well: [CircleCheck, 'ok'],
  paused: [CirclePause, ''],
  stopped: [CircleAlert, 'bad'],
  failing: [CircleAlert, 'bad'],
  no_provider: [CircleAlert, 'bad'],
} as const;

function Sign({ is }: { is: Health }) {
  const t = texts.use();
  const [icon, tone] = signs[is];
  return (
    <span className={css.sign} data-tone={tone} title={t(`is.${is}`)}>
      <Icon of={icon} />
      <span className="visually-hidden">{t(`is.${is}`)}</span>
    </span>
  );
}

/** A link to the problem, if there is one. */
function Fix({ of: a, is }: { of: Automation; is: Health }) {
  const t = texts.use();
  if (is === 'well' || is === 'paused') return null;
  const to = is === 'no_provider' ? `/automations/${a.id}` : runsOf(a.id);
  return (
    <Link href={to} className="button small" aria-label={t('of.name', { what: t('fix'), name: a.name.slice(0, 100) })}>
      {t('fix')}
    </Link>
  );
}

interface ActionProps {
  of: Automation;
  run: ReturnType<typeof useRunNow>;
  toggle: ReturnType<typeof useSwitch>;
  onDelete: () => void;
}

/** The actions of those who have permission. */
function Actions({ of: a, run, toggle, onDelete }: ActionProps) {
  const t = texts.use();
  const member = useMay('member');
  const admin = useMay('admin');
  const called = (what: string) => t('of.name', { what, name: a.name.slice(0, 100) });
  return (
    <Menu label={called(t('more'))}>
      {member && (
        <button
          type="button"
          data-key="r"
          disabled={run.busy}
          aria-label={called(t('run'))}
          onClick={() => void run.run()}
        >
          {t('run')} <kbd>R</kbd>
        </button>
      )}
      {admin && (
        <button
          type="button"
          data-key="p"
          disabled={toggle.busy}
          aria-label={called(t(a.enabled ? 'pause' : 'enable'))}
          onClick={() => void toggle.run()}
        >
          {t(a.enabled ? 'pause' : 'enable')} <kbd>P</kbd>
        </button>
      )}
      <Link
        href={`/automations/${a.id}`}
        className="button"
        data-key="e"
        aria-label={called(t(admin ? 'edit' : 'open'))}
      >
        {t(admin ? 'edit' : 'open')} <kbd>E</kbd>
      </Link>
      <Link href={runsOf(a.id)} className="button" data-key="h" aria-label={called(t('ran.runs'))}>
        {t('ran.runs')} <kbd>H</kbd>
      </Link>
      {admin && (
        <button type="button" data-key="d" aria-label={called(t('delete'))} onClick={onDelete}>
          {t('delete')} <kbd>D</kbd>
        </button>
      )}
    </Menu>
  );
}
