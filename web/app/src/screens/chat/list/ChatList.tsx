import { GitBranch, Pin, Plus } from 'lucide-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { api, body, type Schemas } from '../../../api/client';
import { useFormat } from '../../../i18n/format';
import { useLang } from '../../../i18n/texts';
import { Icon } from '../../../ui/Icon';
import { ProblemBox } from '../../../ui/Problem';
import { Read } from '../../../ui/Read';

import { visible } from '../../../ui/visible';
import { texts as ui } from '../../../ui/texts';
import { cutAtWord } from '../store/cut';
import { dayOf } from '../store/days';
import { isEmpty, readDraft } from '../store/drafts';
import { texts } from '../texts';
import { useToday } from '../useDay';
import { groupsOf } from './groups';
import css from './list.module.css';
import { meet, useUnread } from './seen';

type Session = Schemas['Session'];

/** The chats: first those that need the person, then pinned ones, then by day. Runs of automations have their own
 * screen. */
export function ChatList({ open, onGo }: { open?: string; onGo: () => void }) {
  const t = texts.use();
  const tu = ui.use();
  const lang = useLang();
  const unread = useUnread();
  const [typed, type] = useState('');
  const q = useDeferredValue(typed.trim().slice(0, 200));
  const query = useInfiniteQuery({
    queryKey: ['get', '/v1/sessions', 'chats', q], // events make only its first page stale
    queryFn: ({ pageParam }) =>
      body(
        api.GET('/v1/sessions', {
          params: {
            query: {
              type: 'CHAT',
              limit: 50,
              ...(q ? { q, in: 'messages' as const } : {}),
              ...(pageParam ? { after: pageParam } : {}),
            },
          },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: (before) => before,
  });
  const found = useMemo(() => (query.data?.pages ?? []).flatMap((p) => p.data), [query.data]);
  useEffect(() => meet(found), [found]);
  const today = useToday();
  const groups = useMemo(() => groupsOf(found, Date.parse(`${today}T12:00:00`)), [found, today]);
  return (
    <>
      <Link href="/chat" className={`button ${css.new}`} aria-current={open ? undefined : 'page'} onClick={onGo}>
        <Icon of={Plus} /> {t('new')}
      </Link>
      {(found.length > 0 || typed) && (
        <input
          type="search"

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
            {found.length === 0 && <p className="muted small">{t(q ? 'chats.none' : 'chats.empty')}</p>}
            {groups.map((g) => (
              <section key={g.key} aria-labelledby={`chats-${g.key}`} data-group={g.key}>
                <h2 id={`chats-${g.key}`} className={css.group}>
                  {titleOf(g.key, t, lang)}
                </h2>
                <ul className={`plain ${css.rows}`}>
                  {g.sessions.map((s) => (
                    <Row
                      key={s.id}
                      session={s}
                      here={s.id === open}
                      unread={s.id !== open && unread(s)}
                      group={g.key}
                      onGo={onGo}
                    />
                  ))}
                </ul>
              </section>
            ))}
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

/** The heading of a group of chats; a month has its name. */
function titleOf(key: string, t: ReturnType<typeof texts.use>, lang: string): string {
  if (key === 'needs') return t('chats.needs');
  const name = `day.${key}`;
  if (t.has(name)) return t(name);
  const month = new Intl.DateTimeFormat(lang, { month: 'long', year: 'numeric' }).format(
    new Date(`${key}-15T12:00:00`),
  );
  return month[0]!.toUpperCase() + month.slice(1);
}

/** The time of a chat's last activity, as short as its position in the list allows. */
function shortTime(at: string, group: string, lang: string): string {
  const recent = group === 'today' || group === 'yesterday' || dayOf(at) === dayOf(Date.now());
  const how: Intl.DateTimeFormatOptions = recent
    ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
    : group === 'week'
      ? { weekday: 'short' }
      : { day: 'numeric', month: 'short' };
  return new Intl.DateTimeFormat(lang, how).format(new Date(at));
}

interface RowProps {
  session: Session;
  here: boolean;
  unread: boolean;
  group: string;
  onGo: () => void;
}

function Row({ session, here, unread, group, onGo }: RowProps) {
  const t = texts.use();
  const f = useFormat();
  const lang = useLang();
  const status = `status.${session.status}`;
  const words = session.status === 'idle' || !t.has(status) ? '' : t(status);
  const tone = session.status === 'requires_action' ? 'warn' : session.status === 'running' ? 'accent' : '';
  const draft = !here && !isEmpty(readDraft(session.id));
  const name = visible(session.name || t('untitled'));
  const at = session.last_event_time;
  return (
    <li>
      <Link
        href={`/chat/${session.id}`}
        className={css.row}
        aria-current={here ? 'page' : undefined}
        data-status={session.status}
        data-unread={unread || undefined}
        title={name.slice(0, 300)}
        onClick={onGo}
      >
        <span className={css.name}>
          {unread && <span className={`drawn ${css.dot}`} role="img" aria-label={t('chats.unread')} />}
          {session.pinned && (
            <span role="img" aria-label={t('chats.pinned')} className={css.pin}>
              <Icon of={Pin} size={12} />
            </span>
          )}
          {session.forked_from && (
            <span role="img" aria-label={t('chats.forked')} title={t('chats.forked')} className={css.pin}>
              <Icon of={GitBranch} size={12} />
            </span>
          )}
          <bdi>{cutAtWord(name, 60)}</bdi>
        </span>
        <span className={css.meta}>
          {words && group !== 'needs' && <span className={`badge ${tone}`}>{words}</span>}
          {draft && <span className="badge">{t('chats.draft')}</span>}
          {(!words || group === 'needs') && (
            <time dateTime={at} title={f.full(at)}>
              {shortTime(at, group, lang)}
            </time>
          )}
        </span>
      </Link>
    </li>
  );
}
