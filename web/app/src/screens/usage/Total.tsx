import { Link } from 'wouter';
import { $api, type Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { visible } from '../../ui/visible';
import { adviceOf, allFree, largest, trendOf, unpriced, type Advice } from './insight';
import { totalOf, type Total as Sum } from './sums';
import { texts } from './texts';
import styles from './usage.module.css';

type Row = Schemas['UsageSum'];
interface Props {
  rows: Row[];
  models: Row[] | undefined;
  since: string;
  before: string;
  period: number;
}

/** The total: comparison, composition, causes, and possible changes. */
export function Total({ rows, models, since, before, period }: Props) {
  const t = texts.use();
  const f = useFormat();
  const sum = totalOf(rows);
  const known = models ?? [];
  const free = allFree(known);
  const { models: without, calls: unknown } = unpriced(known);
  const figures: [string, string, string][] = [
    ['tokens', t('tokens'), f.number(sum.tokens)],
    ['calls', t('calls'), f.number(sum.calls)],
    ['cached', t('cached'), f.percent(sum.input ? sum.cached / sum.input : 0)],
    ['reused', t('reused'), f.percent(sum.prompted ? sum.reused / sum.prompted : 0)],
    ['errors', t('errors'), f.number(sum.errors)],
  ];
  return (
    <section className={styles.total} aria-labelledby="totals">
      <h2 id="totals" className="visually-hidden">
        {t('totals')}
      </h2>
      <div className={styles.main} data-total="cost">
        <span className={`${styles.figure} figures`}>
          {free
            ? t('free')
            : sum.cost > 0 || unknown === 0
              ? f.money(sum.cost, 'USD')
              : t('total.tokens', { n: sum.tokens, count: f.number(sum.tokens) })}
        </span>
        <Trend sum={sum} since={since} before={before} period={period} />
        {unknown > 0 && (
          <span className="small" data-unpriced={unknown}>
            {t('unpriced', { n: unknown, count: f.number(unknown) })}{' '}
            <Link href={`/settings/budgets/${encodeURIComponent(without[0]!)}`}>{t('price.set')}</Link>
          </span>
        )}
      </div>
      <dl className={styles.facts}>
        {figures.map(([id, label, value]) => (
          <div key={id} data-total={id}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Why models={known} since={since} />
    </section>
  );
}

/** The comparison with the preceding period of the same length. */
function Trend({ sum, since, before, period }: { sum: Sum; since: string; before: string; period: number }) {
  const t = texts.use();
  const f = useFormat();
  const query = $api.useQuery('get', '/v1/usage', {
    params: { query: { group_by: 'type', since: before, until: since, limit: 200 } },
  });
  const then = totalOf(query.data?.data ?? []);
  const trend = sum.cost > 0 ? trendOf(sum.cost, then.cost) : trendOf(sum.tokens, then.tokens);
  if (!query.data || trend === null) return <span className="small muted">{t('trend.first')}</span>;
  const words = Math.abs(trend) < 0.05 ? 'trend.same' : trend > 0 ? 'trend.more' : 'trend.less';
  return <span className="small muted">{t(words, { share: f.percent(Math.abs(trend)), n: period })}</span>;
}

/** The largest part, and what is worth a look. */
function Why({ models, since }: { models: Row[]; since: string }) {
  const t = texts.use();
  const f = useFormat();
  const by = (group_by: 'purpose' | 'automation') => ({ params: { query: { group_by, since, limit: 200 } } });
  const purposes = $api.useQuery('get', '/v1/usage', by('purpose')).data?.data ?? [];
  const automations = $api.useQuery('get', '/v1/usage', by('automation')).data?.data ?? [];
  const top = largest(automations);
  const model = largest(models);
  const name =
    top && (top.row.key === '' ? t('chats') : t('quoted', { name: visible((top.row.label ?? '').slice(0, 80)) }));
  const sentences = [
    top && t(`most.${top.by}`, { name: name!, share: f.percent(top.share) }),
    model && model.row.key && t('most.model', { model: model.row.key.slice(0, 80), share: f.percent(model.share) }),
  ].filter(Boolean);
  const to: Record<Advice, string> = {
    errors: '/settings/providers',
    prices: '/settings/budgets',
    summaries: '/settings/limits',
    cache: '/settings/providers',
    automation: `/automations/${top?.row.key ?? ''}`,
  };
  const advice = models.length ? adviceOf(models, purposes, automations) : [];
  return (
    <div className="stack tight" data-why>
      {sentences.length > 0 && <p>{sentences.join(' ')}</p>}
      {advice.length > 0 && (
        <ul className={styles.advice}>
          {advice.map((name) => (
            <li key={name} data-advice={name}>
              {t(`advice.${name}`)} <Link href={to[name]}>{t(`advice.${name}.do`)}</Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
