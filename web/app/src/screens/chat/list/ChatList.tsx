import { useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { api, body, type Schemas } from '../../../api/client';
import { ProblemBox } from '../../../ui/Problem';
import { Read } from '../../../ui/Read';
import { Time } from '../../../ui/Time';
import { texts as ui } from '../../../ui/texts';
import { isEmpty, readDraft } from '../store/drafts';
import { texts } from '../texts';
import css from './list.module.css';

type Session = Schemas['Session'];

/** The chats: pinned ones first, then by what happened last in them. Runs of automations
 * have a screen of their own. */
export function ChatList({ open, onGo }: { open?: string; onGo: () => void }) {
  const t = texts.use();
  const tu = ui.use();
  const [typed, type] = useState('');
  const q = useDeferredValue(typed.trim().slice(0, 200));
  const query = useInfiniteQuery({
    queryKey: ['get', '/v1/sessions', 'chats', q], // its beginning is what events make old
    queryFn: ({ pageParam }) =>
      body(
        api.GET('/v1/sessions', {
          params: {
            query: { type: 'CHAT', limit: 50, ...(q ? { q } : {}), ...(pageParam ? { after: pageParam } : {}) },
          },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: (before) => before,
  });
  const sessions = useMemo(
    () =>
      (query.data?.pages ?? [])
        .flatMap((p) => p.data)
        .toSorted((a, b) => Number(b.pinned) - Number(a.pinned) || b.last_event_time.localeCompare(a.last_event_time)),
    [query.data],
  );
  return (
    <>
      <Link href="/chat" className={`button ${css.new}`} aria-current={open ? undefined : 'page'} onClick={onGo}>
        + {t('new')}
      </Link>
      {(sessions.length > 8 || typed) && (
        <input
          type="search"
          className={css.search}
          aria-label={t('chats.search')}
          placeholder={t('chats.search')}
          maxLength={200}
          value={typed}
          onChange={(e) => type(e.target.value)}
        />
      )}
      <Read query={query}>
        {() => (
          <>
            {sessions.length === 0 && <p className="muted small">{t(q ? 'chats.none' : 'chats.empty')}</p>}
            <ul className={`plain ${css.rows}`}>
              {sessions.map((s) => (
                <Row key={s.id} session={s} here={s.id === open} onGo={onGo} />
              ))}
            </ul>
            {query.isFetchNextPageError && <ProblemBox thrown={query.error} />}
            {query.hasNextPage && (
              <button
                type="button"
                className="plain small"
                disabled={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                {tu('more')}
              </button>
            )}
          </>
        )}
      </Read>
    </>
  );
}

function Row({ session, here, onGo }: { session: Session; here: boolean; onGo: () => void }) {
  const t = texts.use();
  const status = `status.${session.status}`;
  const words = session.status === 'idle' ? '' : t.has(status) ? t(status) : session.status;
  const tone = session.status === 'requires_action' ? 'warn' : session.status === 'running' ? 'accent' : '';
  const draft = !here && !isEmpty(readDraft(session.id));
  return (
    <li>
      <Link
        href={`/chat/${session.id}`}
        className={css.row}
        aria-current={here ? 'page' : undefined}
        data-status={session.status}
        onClick={onGo}
      >
        <span className={css.name}>
          {session.pinned && (
            <span aria-label={t('chats.pinned')} role="img">
              ★{' '}
            </span>
          )}
          {(session.name || t('untitled')).slice(0, 300)}
        </span>
        <span className={css.meta}>
          {words && <span className={`badge ${tone}`}>{words}</span>}
          {draft && <span className="badge">{t('chats.draft')}</span>}
          <span>
            <Time at={session.last_event_time} absolute />
          </span>
        </span>
      </Link>
    </li>
  );
}
