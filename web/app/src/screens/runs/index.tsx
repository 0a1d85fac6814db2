import { Link } from 'wouter';
import { $api } from '../../api/client';
import { Empty } from '../../ui/Empty';
import { Page } from '../../ui/Page';
import { Read } from '../../ui/Read';
import { Time } from '../../ui/Time';
import { OutcomeBadge, useTriggerWords } from './Outcome';
import { texts } from './texts';

/** The runs of all automations, newest first. */
export default function Runs() {
  const t = texts.use();
  const trigger = useTriggerWords();
  const query = $api.useQuery('get', '/v1/sessions', { params: { query: { type: 'AUTOMATION' } } });
  return (
    <Page title={t('title')}>
      <Read query={query}>
        {({ data }) => (data.length === 0
          ? <Empty><p>{t('empty')}</p><p><Link href="/automations/new">{t('empty.make')}</Link></p></Empty>
          : (
            <ul className="plain stack tight">
              {data.map((run) => (
                <li key={run.id} className="card row" data-run={run.id} data-status={run.status}>
                  <OutcomeBadge run={run} /><Link href={`/chat/${run.id}`} className="clamp grow">{run.name || run.id}</Link>
                  <span className="small muted"><Time at={run.created_at} />, {trigger(run.trigger)}</span>
                </li>
              ))}
            </ul>
          ))}
      </Read>
    </Page>
  );
}
