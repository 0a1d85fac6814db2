import { $api } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { Read } from '../../ui/Read';
import { useNow } from '../../ui/Time';
import { dayOf, totalOf } from '../usage/sums';
import { Card } from './Card';
import styles from './home.module.css';
import { texts } from './texts';

/** What today has used. A day begins when the workspace says so. */
export function Today() {
  const t = texts.use();
  const f = useFormat();
  const now = useNow();
  const usage = $api.useQuery('get', '/v1/usage', { params: { query: { group_by: 'day', limit: 2 } } });
  const settings = $api.useQuery('get', '/v1/settings');
  const day = settings.data ? dayOf(now, settings.data.time_zone, settings.data.day_start_hour) : '';
  return (
    <Card title={t('today')} name="today" more={{ href: '/usage', text: t('today.all') }}>
      <Read query={usage}>
        {({ data }) => {
          const sum = totalOf(data.filter((row) => row.key === day));
          const priced = sum.unpriced_calls < sum.calls || sum.calls === 0;
          return (
            <>
              <dl className={styles.figures}>
                <div>
                  <dt>{t('today.cost')}</dt>
                  <dd>{priced ? f.money(sum.cost, 'USD') : t('today.none')}</dd>
                </div>
                <div>
                  <dt>{t('today.tokens')}</dt>
                  <dd>{f.number(sum.tokens)}</dd>
                </div>
                <div>
                  <dt>{t('today.calls')}</dt>
                  <dd>{f.number(sum.calls)}</dd>
                </div>
              </dl>
              {priced && sum.unpriced_calls > 0 && (
                <p className="muted small">{t('today.unpriced', { n: sum.unpriced_calls })}</p>
              )}
            </>
          );
        }}
      </Read>
    </Card>
  );
}
