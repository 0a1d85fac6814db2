import { Link } from 'wouter';
import { $api, type Schemas } from '../../../api/client';
import { SessionLink } from '../../../ui/session';
import { Time } from '../../../ui/Time';
import { toolTexts } from '../toolTexts';

/** The last author of an entry and the time: a session, with a link, or another user. */
export function EntryAuthor({ entry }: { entry: Schemas['Entry'] }) {
  const t = toolTexts.use();
  return (
    <span className="small muted" data-by={entry.session_id ?? ''}>
      {t(entry.version > 1 ? 'who.changed' : 'who.added')}{' '}
      {entry.session_id ? <Session id={entry.session_id} /> : t('who.hand')}, <Time at={entry.updated_at} />
    </span>
  );
}

function Session({ id }: { id: string }) {
  const t = toolTexts.use();
  // Loaded once for all rows of that session; its name hardly ever changes.
  const { data } = $api.useQuery(
    'get',
    '/v1/sessions/{session_id}',
    { params: { path: { session_id: id } } },
    { retry: false },
  );
  return data ? <SessionLink session={data} inline /> : <Link href={`/chat/${id}`}>{t('who.session')}</Link>;
}
