import { $api } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { visible } from '../../ui/visible';
import { round, useEstimates } from '../home/useEstimates';
import { texts } from './texts';

const named = 10; // of those before it

/** A run's position in the queue with an estimate of the wait, if past runs allow one; the tooltip names those ahead. */
export function Place({ id, className }: { id: string; className?: string }) {
  const t = texts.use();
  const f = useFormat();
  const slot = $api.useQuery('get', '/v1/slot').data;
  const queue = $api.useQuery('get', '/v1/queue').data;
  const rows = queue?.data ?? [];
  const estimates = useEstimates(slot, rows);
  const at = rows.findIndex((row) => row.session_id === id);
  const row = rows[at];
  if (!row) return <p className={className}>{queue ? t('place.far') : ''}</p>;
  const wait = estimates[at] ?? null;
  const before = rows.slice(0, at).map((one) => visible(one.session?.name ?? '') || t('unnamed'));
  const more = before.length - named;
  const names = [...before.slice(0, named), ...(more > 0 ? [t('place.more', { n: more })] : [])];
  return (
    <p
      className={className}
      title={names.length ? t('place.behind', { names: f.list(names) }) : undefined}
      data-place={row.position}
    >
      {t('place', { nth: f.ordinal(row.position) })}
      {wait !== null && wait >= 1000 && (
        <span data-wait> · {t('place.about', { length: f.duration(round(wait)) })}</span>
      )}
    </p>
  );
}
