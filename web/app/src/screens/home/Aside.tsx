import { $api, type Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { SessionLink, useWords } from '../../ui/session';
import { Time, useNow } from '../../ui/Time';
import { Card } from './Card';
import { useSuspended } from './suspended';
import { Sentence } from './Sentence';
import { texts } from './texts';

/** Runs that a chat suspended, with the chat that did. Nothing is shown when there are none. */
export function Aside() {
  const t = texts.use();
  const suspended = useSuspended();
  if (!suspended.length) return null;
  return (
    <Card title={t('aside')} name="aside" count={suspended.length}>
      <ul className="plain stack">
        {suspended.map((s) => (
          <Row key={s.id} session={s} />
        ))}
      </ul>
    </Card>
  );
}

function Row({ session }: { session: Schemas['Session'] }) {
  const t = texts.use();
  const f = useFormat();
  const words = useWords();
  const now = useNow();
  const holder = $api.useQuery('get', '/v1/slot').data?.holder;
  const waits = session.waiting_context;
  const network = session.phase === 'WAITING_NETWORK_RETRY' && waits?.at && new Date(waits.at).getTime() > now;
  return (
    <li className="stack tight" data-session={session.id}>
      <p className="row">
        <SessionLink session={session} />
        <span className="badge">{words.type(session.type)}</span>
        <span className="muted small">
          <Time at={session.last_event_time} />
        </span>
      </p>
      <p className="small">
        {network ? (
          t('aside.network', { time: f.time(waits.at!) })
        ) : holder?.type === 'CHAT' ? (
          <Sentence text={t('aside.chat')} parts={{ chat: <SessionLink session={holder} inline /> }} />
        ) : (
          t('aside.else')
        )}
      </p>
    </li>
  );
}
