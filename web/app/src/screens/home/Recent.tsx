import { $api } from '../../api/client';
import { Read } from '../../ui/Read';
import { SessionLink, useWords } from '../../ui/session';
import { Time } from '../../ui/Time';
import { Card } from './Card';
import { texts } from './texts';

/** The chats that were opened last. */
export function Recent() {
  const t = texts.use();
  const words = useWords();
  const chats = $api.useQuery('get', '/v1/sessions', { params: { query: { type: 'CHAT', limit: 6 } } });
  return (
    <Card title={t('recent')} name="recent" more={{ href: '/chat', text: t('all') }}>
      <Read query={chats}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="muted">{t('recent.none')}</p>
          ) : (
            <ul className="plain stack tight">
              {data.map((s) => (
                <li key={s.id}>
                  <SessionLink session={s} />
                  <span className="muted small">
                    {words.status(s.status)} · <Time at={s.last_event_time} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Read>
    </Card>
  );
}
