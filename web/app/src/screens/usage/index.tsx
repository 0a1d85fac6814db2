import { useState } from 'react';
import { Link } from 'wouter';
import { $api, type Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { Empty } from '../../ui/Empty';
import { Page } from '../../ui/Page';
import { Read } from '../../ui/Read';
import { useNow } from '../../ui/Time';
import { Budgets } from './Budgets';
import { Days } from './Days';
import { Groups } from './Groups';
import { lastDays } from './period';
import { totalOf, type Measure } from './sums';
import { texts } from './texts';
import styles from './usage.module.css';

const periods = [1, 7, 30, 90] as const;
const measures: Measure[] = ['cost', 'tokens', 'calls'];

/** What the AI used: by day, by who used it, and against the budgets. */
export default function Usage() {
  const t = texts.use();
  const settings = $api.useQuery('get', '/v1/settings');
  return (
    <Page
      title={t('title')}
      actions={
        <Link href="/settings/budgets" className="button small">
          {t('budgets.set')}
        </Link>
      }
    >
      <Read query={settings}>{(s) => <Report settings={s} />}</Read>
    </Page>
  );
}

function Report({ settings }: { settings: Schemas['Settings'] }) {
  const t = texts.use();
  const now = useNow();
  const [period, setPeriod] = useState<(typeof periods)[number]>(30);
  const [measure, setMeasure] = useState<Measure>('tokens');
  const { days, since } = lastDays(now, { zone: settings.time_zone, hour: settings.day_start_hour }, period);
  const query = $api.useQuery('get', '/v1/usage', { params: { query: { group_by: 'day', since, limit: 200 } } });
  return (
    <>
      <div className={styles.controls}>
        <label className="row small">
          {t('period')}
          <select value={period} onChange={(e) => setPeriod(Number(e.target.value) as typeof period)}>
            {periods.map((p) => (
              <option key={p} value={p}>
                {t(`period.${p}`)}
              </option>
            ))}
          </select>
        </label>
        <label className="row small">
          {t('measure')}
          <select value={measure} onChange={(e) => setMeasure(e.target.value as Measure)}>
            {measures.map((m) => (
              <option key={m} value={m}>
                {t(`measure.${m}`)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Read query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{t('none')}</Empty>
          ) : (
            <>
              <Totals rows={data} />
              <Days days={days} rows={data} measure={measure} />
              <Groups since={since} measure={measure} />
            </>
          )
        }
      </Read>
      <section className="card stack tight" aria-labelledby="budgets">
        <h2 id="budgets">{t('budgets')}</h2>
        <Budgets />
      </section>
    </>
  );
}

function Totals({ rows }: { rows: Schemas['UsageSum'][] }) {
  const t = texts.use();
  const f = useFormat();
  const sum = totalOf(rows);
  const priced = sum.unpriced_calls < sum.calls;
  const facts: [string, string, string][] = [
    ['cost', t('cost'), priced ? f.money(sum.cost, 'USD') : t('cost.none')],
    ['tokens', t('tokens'), f.number(sum.tokens)],
    ['input', t('input'), f.number(sum.input)],
    ['output', t('output'), f.number(sum.output)],
    ['cached', t('cached'), f.percent(sum.input ? sum.cached / sum.input : 0)],
    ['calls', t('calls'), f.number(sum.calls)],
    ['errors', t('errors'), f.number(sum.errors)],
  ];
  return (
    <section className="card stack tight" aria-labelledby="totals">
      <h2 id="totals">{t('totals')}</h2>
      <dl className={styles.facts}>
        {facts.map(([id, label, value]) => (
          <div key={id} data-total={id}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {sum.unpriced_calls > 0 && (
        <p className="muted small">{t('unpriced', { n: sum.unpriced_calls, count: f.number(sum.unpriced_calls) })}</p>
      )}
    </section>
  );
}
