import { Link } from 'wouter';
import { $api } from '../../api/client';
import { Read } from '../../ui/Read';
import { RunLine } from '../runs/RunLine';
import { showRunsOf } from '../runs/filter';
import { texts } from './texts';

/** Its last runs. */
export function History({ id }: { id: string }) {
  const t = texts.use();
  const runs = $api.useQuery('get', '/v1/automations/{automation_id}/executions', { params: { path: { automation_id: id }, query: { limit: 5 } } });
  return (
    <section className="stack tight" aria-labelledby="history">
      <h2 id="history">{t('history')}</h2>
      <Read query={runs}>
        {({ data }) => (data.length === 0 ? <p className="muted">{t('history.none')}</p> : (
          <>
            <ul className="plain stack tight">{data.map((run) => <RunLine key={run.session_id} run={run} />)}</ul>
            <p><Link href="/runs" onClick={() => showRunsOf(id)}>{t('ran.runs')}</Link></p>
          </>
        ))}
      </Read>
    </section>
  );
}
