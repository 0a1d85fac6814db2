import { Link } from 'wouter';
import { $api } from '../../api/client';
import { Read } from '../../ui/Read';
import { Time } from '../../ui/Time';
import { Card } from './Card';
import { texts } from './texts';

/** What runs by itself next. */
export function NextRuns() {
  const t = texts.use();
  const query = $api.useQuery('get', '/v1/automations', { params: { query: { enabled: true, limit: 200 } } });
  return (
    <Card title={t('next')} name="next" more={{ href: '/automations', text: t('all') }}>
      <Read query={query}>
        {({ data }) => {
          const next = data
            .filter((a) => a.enabled && a.next_run_at)
            .toSorted((a, b) => (a.next_run_at! < b.next_run_at! ? -1 : 1))
            .slice(0, 5);
          if (!next.length)
            return (
              <p className="muted">
                {t('next.none')} <Link href="/automations/new">{t('next.make')}</Link>
              </p>
            );
          return (
            <ul className="plain stack tight">
              {next.map((a) => (
                <li key={a.id} data-automation={a.id}>
                  <Link href={`/automations/${a.id}`} className="clamp">
                    {a.name}
                  </Link>
                  <span className="muted small">
                    <Time at={a.next_run_at} /> · <Time at={a.next_run_at} absolute />
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </Read>
    </Card>
  );
}
