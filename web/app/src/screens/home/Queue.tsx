import { useState } from 'react';
import { $api, api, type Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { announce } from '../../shell/announce';
import { Confirm } from '../../ui/Confirm';
import { Read } from '../../ui/Read';
import { SessionLink, useWords } from '../../ui/session';
import { Time, useNow } from '../../ui/Time';
import { ReleaseSlot } from '../../ui/ReleaseSlot';
import { Card } from './Card';
import styles from './home.module.css';
import { texts } from './texts';

type Row = Schemas['QueueRow'];

/** Who waits for the slot, why, and how to leave the queue. */
export function QueueCard() {
  const t = texts.use();
  const queue = $api.useQuery('get', '/v1/queue');
  const [leaving, setLeaving] = useState<Row | null>(null);
  return (
    <Card title={t('queue')} name="queue" count={queue.data?.length}>
      <Read query={queue}>
        {({ data, length }) =>
          data.length === 0 ? (
            <p className="muted">{t('queue.empty')}</p>
          ) : (
            <ol className="plain stack">
              {data.slice(0, 20).map((row) => (
                <QueueItem key={row.session_id} row={row} onLeave={() => setLeaving(row)} />
              ))}
              {length > 20 && <li className="muted small">{t('queue.more', { n: length - 20 })}</li>}
            </ol>
          )
        }
      </Read>
      <ReleaseSlot />
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
          <p>
            {leaving.session && <strong className="clamp">{leaving.session.name || leaving.session_id}</strong>}
            {t(leaving.session?.type === 'CHAT' ? 'queue.leave.chat' : 'queue.leave.run')}
          </p>
        </Confirm>
      )}
    </Card>
  );
}

function QueueItem({ row, onLeave }: { row: Row; onLeave: () => void }) {
  const t = texts.use();
  const words = useWords();
  const f = useFormat();
  const now = useNow();
  const name = row.session?.name || row.session_id;
  return (
    <li className={styles.queued} data-session={row.session_id} data-reason={row.reason}>
      <span className="badge">
        <span aria-hidden="true">{f.number(row.position)}</span>
        <span className="visually-hidden">{t('queue.position', { n: row.position })}</span>
      </span>
      <div className="grow stack tight">
        {row.session ? <SessionLink session={row.session} /> : <code>{row.session_id}</code>}
        <p className="small">{reason(t, f.time, now, row)}</p>
        <p className="muted small">
          {words.trigger(row.trigger)} · <Time at={row.since} />
        </p>
      </div>
      <button
        type="button"
        className="small"
        aria-label={t('queue.leave.of', { name: name.slice(0, 80) })}
        onClick={onLeave}
      >
        {t('queue.leave')}
      </button>
    </li>
  );
}

function reason(t: typeof texts.t, time: (iso: string) => string, now: number, row: Row): string {
  if (row.preempting) return t('reason.action_runs');
  if (row.reason === 'suspect' && row.not_before && new Date(row.not_before).getTime() > now)
    return t('reason.set_apart', { time: time(row.not_before) });
  if (row.not_before && new Date(row.not_before).getTime() > now) {
    return t(
      row.session?.phase === 'WAITING_NETWORK_RETRY' || row.reason === 'NETWORK_ERROR'
        ? 'reason.network'
        : 'reason.later',
      { time: time(row.not_before) },
    );
  }
  const key = `reason.${row.reason}`;
  return t.has(key) ? t(key) : row.reason;
}
