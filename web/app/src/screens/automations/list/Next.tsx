import { Link } from 'wouter';
import type { Schemas } from '../../../api/client';
import { Time } from '../../../ui/Time';
import { browserZone } from '../../../schedule/schedule';
import { runsOf } from '../../runs/filter';
import { texts } from '../texts';

type Automation = Schemas['Automation'];

/** The next run, or why there is none. */
export function NextRun({ of: a }: { of: Automation }) {
  const t = texts.use();
  if (!a.enabled) return <span className="muted">{t('next.paused')}</span>;
  if (!a.next_run_at) return <span className="muted">{a.triggers.length ? t('next.events') : t('next.none')}</span>;
  const zone = a.schedule?.time_zone;
  const elsewhere = zone !== undefined && zone !== browserZone();
  return (
    <span>
      <Time at={a.next_run_at} zone={zone} />
      {elsewhere && <span className="muted"> {t('zone.of', { zone })}</span>}
    </span>
  );
}

/** The notice that the server paused it, why, and what to do. */
export function PausedByServer({ of: a }: { of: Automation }) {
  const t = texts.use();
  if (a.enabled || !a.disabled_reason) return null;
  return (
    <p className="box warn row" data-disabled={a.disabled_reason}>
      {a.disabled_reason === 'failures' ? (
        <span>
          {t('failures.what')} {t('failures.do')}
        </span>
      ) : (
        <span>{t('disabled.other', { reason: a.disabled_reason })}</span>
      )}
      <Link href={runsOf(a.id)}>{t('failures.look')}</Link>
    </p>
  );
}
