import { X } from 'lucide-react';
import { useState } from 'react';
import { api, type Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { announce } from '../../shell/announce';
import { Confirm } from '../../ui/Confirm';
import { IconButton } from '../../ui/Icon';
import { Sentence } from '../../ui/Sentence';
import { Elapsed, SessionLink, useWords } from '../../ui/session';
import { Time, useNow } from '../../ui/Time';
import styles from './home.module.css';
import { Section } from './Section';
import { texts } from './texts';
import { round, useEstimates } from './useEstimates';
import type { HomeData } from './useHome';

type Row = Schemas['QueueRow'];
const most = 5;

/** The queue: what waits, why, since when and for about how long; and paused runs. */
export function Then({ home }: { home: HomeData }) {
  const t = texts.use();
  const [leaving, setLeaving] = useState<Row | null>(null);
  const [all, showAll] = useState(false);
  const f = useFormat();
  const now = useNow();
  const rows = home.queue?.data ?? [];
  const length = home.queue?.length ?? 0;
  const estimates = useEstimates(home.slot, rows);
  if (!rows.length && !home.suspended.length) return null;
  const shown = all ? rows : rows.slice(0, most);
  const holder = home.slot?.holder?.type;
  const reasons = shown.map((row) => reason(t, f.time, now, row, holder)); // shown once if several have it
  return (
    <Section title={t('after')} name="queue" count={length || undefined}>
      {rows.length > 0 && (
        <ol className="rows">
          {shown.map((row, i) => (
            <Queued
              key={row.session_id}
              row={row}
              why={reasons[i] === reasons[i - 1] ? '' : reasons[i]!}
              wait={estimates[i] ?? null}
              onLeave={() => setLeaving(row)}
            />
          ))}
          {length > shown.length && (
            <li className={styles.more}>
              {shown.length < rows.length ? (
                <button type="button" className="plain small" data-act="queue-all" onClick={() => showAll(true)}>
                  {t('queue.more', { n: length - shown.length })}
                </button>
              ) : (
                <span className="meta">{t('queue.more', { n: length - shown.length })}</span>
              )}
            </li>
          )}
        </ol>
      )}
      {home.suspended.length > 0 && (
        <ul className="rows" data-card="aside">
          {home.suspended.map((session) => (
            <Paused key={session.id} session={session} holder={home.slot?.holder ?? null} />
          ))}
        </ul>
      )}
      {leaving && (
        <Confirm
          title={t('queue.leave')}
          yes={t('queue.leave')}
          danger
          onClose={() => setLeaving(null)}
          act={async () => {
            await api.DELETE('/v1/queue/{session_id}', { params: { path: { session_id: leaving.session_id } } });
            announce(t('queue.left'));
          }}
        >
          {leaving.session?.name && <strong className="clamp">{leaving.session.name}</strong>}
          <p>{t(leaving.session?.type === 'CHAT' ? 'queue.leave.chat' : 'queue.leave.run')}</p>
        </Confirm>
      )}
    </Section>
  );
}

interface QueuedProps {
  row: Row;
  why: string;
  wait: number | null;
  onLeave: () => void;
}

function Queued({ row, why, wait, onLeave }: QueuedProps) {
  const t = texts.use();
  const words = useWords();
  const f = useFormat();
  const now = useNow();
  const later = row.not_before && Date.parse(row.not_before) > now;
  return (
    <li className={styles.row} data-session={row.session_id} data-reason={row.reason}>
      <span className={`${styles.icon} ${styles.position}`}>
        <span aria-hidden="true">{f.number(row.position)}</span>
        <span className="visually-hidden">{t('queue.position', { n: row.position })}</span>
      </span>
      <div className="grow">
        {row.session ? <SessionLink session={row.session} /> : <span>{words.type('CHAT')}</span>}
        <p className="meta">
          {why && `${why} · `}
          <Sentence text={t('queue.for')} parts={{ length: <Elapsed since={row.since} /> }} />
          {wait !== null && wait >= 1000 && !later && (
            <span data-wait> · {t('queue.about', { length: f.duration(round(wait)) })}</span>
          )}
        </p>
      </div>
      <IconButton
        of={X}
        label={t('of', { what: t('queue.leave'), name: (row.session?.name ?? '').slice(0, 80) })}
        onClick={onLeave}
      />
    </li>
  );
}

function reason(t: typeof texts.t, time: (iso: string) => string, now: number, row: Row, holder?: string): string {
  if (row.preempting) return t('reason.action_runs');
  if (row.reason === 'suspect' && row.not_before && Date.parse(row.not_before) > now)
    return t('reason.set_apart', { time: time(row.not_before) });
  if (row.not_before && Date.parse(row.not_before) > now) {
    return t(
      row.session?.phase === 'WAITING_NETWORK_RETRY' || row.reason === 'NETWORK_ERROR'
        ? 'reason.network'
        : 'reason.later',
      { time: time(row.not_before) },
    );
  }
  if (row.reason === 'behind_the_others') return t('reason.in_turn');
  if (row.reason === 'holder_busy') return t(holder === 'CHAT' ? 'reason.busy.chat' : 'reason.busy.run');
  const key = `reason.${row.reason}`;
  return t.has(key) ? t(key) : t('reason.in_turn');
}

/** A run that a chat paused, with a link to the chat. */
function Paused({ session, holder }: { session: Schemas['Session']; holder: Schemas['Session'] | null }) {
  const t = texts.use();
  const f = useFormat();
  const now = useNow();
  const waiting = session.waiting_context;
  const network = session.phase === 'WAITING_NETWORK_RETRY' && waiting?.at && Date.parse(waiting.at) > now;
  return (
    <li className={styles.row} data-session={session.id}>
      <span className={`${styles.icon} ${styles.position}`} aria-hidden="true">
        ‖
      </span>
      <div className="grow">
        <SessionLink session={session} />
        <p className="meta">
          {network ? (
            t('aside.network', { time: f.time(waiting.at!) })
          ) : holder?.type === 'CHAT' ? (
            <Sentence text={t('aside.chat')} parts={{ chat: <SessionLink session={holder} inline /> }} />
          ) : (
            t('aside.else')
          )}{' '}
          · <Time at={session.last_event_time} />
        </p>
      </div>
    </li>
  );
}
