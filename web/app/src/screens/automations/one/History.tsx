import { Link } from 'wouter';
import { $api } from '../../../api/client';
import { Read } from '../../../ui/Read';
import { runsOf } from '../../runs/filter';
import { merge, together } from '../../runs/merge';
import { OccurrenceLine } from '../../runs/OccurrenceLine';
import { RunLine } from '../../runs/RunLine';
import css from '../../runs/runs.module.css';
import { texts } from '../texts';

const last = 3;

/** Its last runs, and the occurrences that did not run. */
export function History({ id }: { id: string }) {
  const t = texts.use();
  const runs = $api.useQuery('get', '/v1/runs', { params: { query: { automation_id: id, limit: last } } });
  const missed = $api.useQuery('get', '/v1/occurrences', {
    params: { query: { automation_id: id, states: 'DUE,SKIPPED,MISSED,FAILED', limit: last } },
  });
  return (
    <section className="stack tight" aria-labelledby="history">
      <h2 id="history">{t('history')}</h2>
      <Read query={runs}>
        {(page) => {
          const known = missed.data ?? { data: [], next_cursor: null };
          const { items } = merge(
            together([page], (r) => r.session_id),
            together([known], (o) => o.id),
          );
          if (!items.length) return <p className="muted">{t('history.none')}</p>;
          return (
            <>
              <ul className={`rows ${css.list}`}>
                {items
                  .slice(0, last)
                  .map((i) =>
                    i.run ? (
                      <RunLine key={i.run.session_id} run={i.run} />
                    ) : (
                      <OccurrenceLine key={i.occurrence.id} of={i.occurrence} />
                    ),
                  )}
              </ul>
              <p>
                <Link href={runsOf(id)}>{t('ran.runs')}</Link>
              </p>
            </>
          );
        }}
      </Read>
    </section>
  );
}
