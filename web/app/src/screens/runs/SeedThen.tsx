import { $api, type Schemas } from '../../api/client';
import { asProblem } from '../../api/problem';
import { Read } from '../../ui/Read';
import { writtenText } from '../chat/store/items';
import { diff } from './diff';
import { Differing } from './Differing';
import { texts } from './texts';

/** The request as it was for this run, and the changes since. */
export function SeedThen({ run }: { run: Schemas['AutomationRun'] }) {
  const t = texts.use();
  const first = $api.useQuery('get', '/v1/sessions/{session_id}/messages', {
    params: { path: { session_id: run.session_id }, query: { limit: 1 } },
  });
  const seed = $api.useQuery(
    'get',
    '/v1/automations/{automation_id}/seed',
    { params: { path: { automation_id: run.automation_id } } },
    { retry: false },
  );
  const gone = seed.error && asProblem(seed.error).status === 404;
  return (
    <div className="box stack tight" data-seed>
      <Read query={first}>
        {({ data }) => {
          const then = data[0] ? writtenText(data[0]) : '';
          const pieces = seed.data ? diff(then, seed.data.linear_text) : null;
          const same = pieces?.every((p) => p.kind === 'same') ?? true;
          return (
            <>
              <h2 className="h3">{t(pieces && !same ? 'seed.differs' : 'seed.then')}</h2>
              {same || !pieces ? (
                <p className="preserve">{then}</p>
              ) : (
                <Differing before={then} now={seed.data!.linear_text} />
              )}
              <p className="small muted">{gone ? t('seed.gone') : pieces && t(same ? 'seed.same' : 'seed.legend')}</p>
            </>
          );
        }}
      </Read>
    </div>
  );
}
