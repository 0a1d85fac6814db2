import { useState } from 'react';
import { Link } from 'wouter';
import { $api, type Schemas } from '../../api/client';
import { useMay } from '../../api/me';
import { Empty } from '../../ui/Empty';
import { Page } from '../../ui/Page';
import { ProblemBox } from '../../ui/Problem';
import { Read } from '../../ui/Read';
import { useNow } from '../../ui/Time';
import { Budgets } from './Budgets';
import { Days } from './Days';
import { Groups } from './Groups';
import { lastDays, type Place } from './period';
import type { Measure } from './sums';
import { texts } from './texts';
import { Total } from './Total';
import styles from './usage.module.css';

const periods = [1, 7, 30, 90] as const;
const measures: Measure[] = ['cost', 'tokens', 'calls'];

/** Usage of AI: the total and its trend, its purpose, and what is left of the budgets. */
export default function Usage() {
  const t = texts.use();
  const admin = useMay('admin');
  const settings = $api.useQuery('get', '/v1/settings');
  return (
    <Page
      title={t('title')}
      actions={
        admin && (
          <Link href="/settings/budgets" className="button small">
            {t('budgets.set')}
          </Link>
        )
      }
    >
      <Read query={settings}>
        {(s: Schemas['Settings']) => <Report place={{ zone: s.time_zone, hour: s.day_start_hour }} />}
      </Read>
    </Page>
  );
}

function Report({ place }: { place: Place }) {
  const t = texts.use();
  const now = useNow();
  const [period, setPeriod] = useState<(typeof periods)[number]>(30);
  const [measure, setMeasure] = useState<Measure | null>(null);
  const { days, since } = lastDays(now, place, period);
  const before = lastDays(now, place, 2 * period).since;
  const query = $api.useQuery('get', '/v1/usage', { params: { query: { group_by: 'day', since, limit: 200 } } });
  const models = $api.useQuery('get', '/v1/usage', { params: { query: { group_by: 'model', since, limit: 200 } } });
  // The inputs of the total's text.
  const by = (group_by: 'purpose' | 'automation') => ({ params: { query: { group_by, since, limit: 200 } } });
  const purposes = $api.useQuery('get', '/v1/usage', by('purpose'));
  const automations = $api.useQuery('get', '/v1/usage', by('automation'));
  const failed = [models, purposes, automations].find((q) => q.data === undefined && q.error);
  const priced = (query.data?.data ?? []).some((row) => (row.cost?.amount ?? 0) > 0);
  const shown = measure ?? (priced ? 'cost' : 'tokens');
  return (
    <>
      <div className={styles.controls}>
        <Chips label={t('period')} all={periods} value={period} onChange={setPeriod} say={(p) => t(`period.${p}`)} />
        <Chips label={t('measure')} all={measures} value={shown} onChange={setMeasure} say={(m) => t(`measure.${m}`)} />
      </div>
      {failed && <ProblemBox thrown={failed.error} onRetry={() => failed.refetch()} />}
      <Read query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{t('none')}</Empty>
          ) : (
            <>
              <Total rows={data} models={models.data?.data} since={since} before={before} period={period} />
              <Days days={days} rows={data} measure={shown} />
              <Groups since={since} measure={shown} />
            </>
          )
        }
      </Read>
      <section className="stack tight" aria-labelledby="budgets">
        <h2 id="budgets">{t('budgets')}</h2>
        <Budgets />
      </section>
    </>
  );
}

interface ChipsProps<T> {
  label: string;
  all: readonly T[];
  value: T;
  onChange: (value: T) => void;
  say: (value: T) => string;
}

function Chips<T extends string | number>({ label, all, value, onChange, say }: ChipsProps<T>) {
  return (
    <div className="row" role="group" aria-label={label}>
      {all.map((one) => (
        <button key={one} type="button" className="chip" aria-pressed={one === value} onClick={() => onChange(one)}>
          {say(one)}
        </button>
      ))}
    </div>
  );
}
