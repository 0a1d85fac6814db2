import { Link } from 'wouter';
import { $api, type Schemas } from '../../../api/client';
import { useFormat } from '../../../i18n/format';
import { round, useEstimates } from '../../home/useEstimates';
import type { Session } from '../store/sessionStore';
import { words } from '../texts.compose';
import { texts } from '../texts';
import css from './head.module.css';
import { nameOf } from './name';

/** When a session has taken another's slot, both show it: the session that was set aside names the one that works,
 * and the chat names the run that waits for it. */
export function SlotNote({ session }: { session: Session }) {
  if (session.status === 'suspended' || session.status === 'queued') return <SetAside session={session} />;
  return session.type === 'CHAT' && session.holds_slot ? <Took /> : null;
}

function SetAside({ session }: { session: Session }) {
  const t = words.use();
  const tc = texts.use();
  const slot = $api.useQuery('get', '/v1/slot');
  const holder = slot.data?.holder;
  if (!holder || holder.id === session.id)
    return session.status === 'suspended' ? (
      <p className={`box ${css.note}`} data-slot="aside">
        {t('slot.by.none')}
      </p>
    ) : null;
  return (
    <p className={`box ${css.note}`} data-slot="aside">
      {t(paused(session) ? 'slot.by' : 'slot.holder')}{' '}
      <Link href={`/chat/${holder.id}`}>{nameOf(holder, tc).slice(0, 80)}</Link>
      {paused(session) && `. ${t('slot.back')}`}
      {session.status === 'queued' && !paused(session) && <Wait id={session.id} slot={slot.data} />}
    </p>
  );
}

/** The number of sessions ahead in the queue, and an estimate of the wait if past runs allow one. */
function Wait({ id, slot }: { id: string; slot: Schemas['Slot'] | undefined }) {
  const t = words.use();
  const f = useFormat();
  const queue = $api.useQuery('get', '/v1/queue');
  const rows = queue.data?.data ?? [];
  const estimates = useEstimates(slot, rows);
  const at = rows.findIndex((row) => row.session_id === id);
  if (at < 0) return null;
  const wait = estimates[at] ?? null;
  return (
    <span data-wait={wait === null ? 'unknown' : 'known'}>
      {'. '}
      {at > 0 && `${t('slot.before', { n: at })} `}
      {wait === null ? t('slot.wait.unknown') : t('slot.wait', { length: f.duration(round(wait)) })}
    </span>
  );
}

/** It was interrupted, by another session or while its answer waits for its turn. */
const paused = (session: Session) => session.status === 'suspended' || session.end_reason === 'SUSPENDED';

function Took() {
  const t = words.use();
  const tc = texts.use();
  const runs = $api.useQuery('get', '/v1/sessions', {
    params: { query: { type: 'AUTOMATION', status: 'suspended', limit: 3 } },
  });
  const queue = $api.useQuery('get', '/v1/queue');
  const waiting = (queue.data?.data ?? []).flatMap(({ session }) =>
    session?.type === 'AUTOMATION' && paused(session) ? [session] : [],
  );
  const set = [...(runs.data?.data ?? []), ...waiting].slice(0, 3);
  if (!set.length) return null;
  return (
    <p className={`box ${css.note}`} data-slot="took">
      {set.map((run) => (
        <Link key={run.id} href={`/chat/${run.id}`}>
          {nameOf(run, tc).slice(0, 80)}
        </Link>
      ))}{' '}
      {t('slot.took')}
    </p>
  );
}
