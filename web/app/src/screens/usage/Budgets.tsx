import { $api, type Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { Read } from '../../ui/Read';
import { useNow } from '../../ui/Time';
import { startOfDay } from './period';
import { totalOf } from './sums';
import { texts } from './texts';
import styles from './usage.module.css';

const types = ['chat', 'automation'] as const;

/** The daily and monthly budgets and their usage. All usage of the workspace counts against each; chats and
 * automations stop at their own limits. */
export function Budgets() {
  const settings = $api.useQuery('get', '/v1/settings');
  return <Read query={settings}>{(s) => <List settings={s} />}</Read>;
}

function List({ settings }: { settings: Schemas['Settings'] }) {
  const t = texts.use();
  const now = useNow();
  const place = { zone: settings.time_zone, hour: settings.day_start_hour };
  const day = startOfDay(now, place, 'day');
  const month = startOfDay(now, place, 'month');
  const query = (since: string) => ({ params: { query: { group_by: 'type' as const, since, limit: 200 } } });
  const today = totalOf($api.useQuery('get', '/v1/usage', query(day)).data?.data ?? []).cost;
  const thisMonth = totalOf($api.useQuery('get', '/v1/usage', query(month)).data?.data ?? []).cost;
  const rows = types
    .flatMap((name) => [
      { id: `${name}-day`, label: t(`budget.${name}.day`), max: settings.limits[name].max_cost_per_day, spent: today },
      {
        id: `${name}-month`,
        label: t(`budget.${name}.month`),
        max: settings.limits[name].max_cost_per_month,
        spent: thisMonth,
      },
    ])
    .filter((row) => row.max !== null && row.max !== undefined);
  if (!rows.length) return <p className="muted">{t('budget.none')}</p>;
  return (
    <ul className="plain stack">
      {rows.map((row) => (
        <Meter key={row.id} {...row} max={row.max!} />
      ))}
    </ul>
  );
}

function Meter({ id, label, max, spent }: { id: string; label: string; max: number; spent: number }) {
  const t = texts.use();
  const f = useFormat();
  const share = max > 0 ? spent / max : 1;
  return (
    <li data-budget={id}>
      <p className="row between">
        <span>{label}</span>
        <span>
          {t('budget.of', { spent: f.money(spent, 'USD'), max: f.money(max, 'USD'), share: f.percent(share) })}
        </span>
      </p>
      <span className={`${styles.meter} drawn`} aria-hidden="true">
        <span
          className={`drawn ${share >= 1 ? styles.full : share >= 0.8 ? styles.near : styles.part}`}
          style={{ width: `${Math.min(100, share * 100)}%` }}
        />
      </span>
      {share >= 1 && <p className="small">{t('budget.over')}</p>}
    </li>
  );
}
