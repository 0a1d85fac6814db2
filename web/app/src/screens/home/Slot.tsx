import { Link } from 'wouter';
import { $api, type Schemas } from '../../api/client';
import { useWatch } from '../../events/react';
import { Read } from '../../ui/Read';
import { Elapsed, SessionLink, useWords } from '../../ui/session';
import { Card } from './Card';
import styles from './home.module.css';
import { Sentence } from './Sentence';
import { useSuspended } from './suspended';
import { texts } from './texts';

/** Who is at work, on what, for how long; and whom that keeps waiting. */
export function SlotCard() {
  const t = texts.use();
  const slot = $api.useQuery('get', '/v1/slot');
  useWatch(slot.data?.holder?.id); // its phases come only to those who watch it
  return (
    <Card title={t('slot')} name="slot">
      <Read query={slot}>
        {(now) => (now.holder ? <Holder slot={now} holder={now.holder} /> : <p className="muted">{t('slot.free')}</p>)}
      </Read>
    </Card>
  );
}

function Holder({ slot, holder }: { slot: Schemas['Slot']; holder: Schemas['Session'] }) {
  const t = texts.use();
  const words = useWords();
  const suspended = useSuspended();
  const phase = slot.phase ?? holder.phase;
  return (
    <div className="stack tight" data-phase={phase}>
      <p className={styles.name}>
        <SessionLink session={holder} />
      </p>
      <p className="row">
        <span className={holder.status === 'running' ? styles.busy : styles.rest} aria-hidden="true" />
        <strong>{words.phase(phase)}</strong>
        <span className="badge">{words.type(holder.type)}</span>
      </p>
      {slot.since && (
        <p className="muted small">
          <Sentence text={t('slot.since')} parts={{ time: <Elapsed since={slot.since} /> }} />
        </p>
      )}
      <p className="row small">
        <Link href={`/timeline/${holder.id}`}>{t('slot.timeline')}</Link>
        {holder.automation_id && <Link href={`/automations/${holder.automation_id}`}>{t('slot.automation')}</Link>}
      </p>
      {slot.preempting && <Successor id={slot.preempting} />}
      {holder.type === 'CHAT' && suspended.length > 0 && (
        <div className="box warn small stack tight" data-aside="here">
          <p>{t('aside.here')}</p>
          <ul className="plain">
            {suspended.map((s) => (
              <li key={s.id}>
                <SessionLink session={s} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

/** Who gets the slot once the running action has ended. */
function Successor({ id }: { id: string }) {
  const t = texts.use();
  const queue = $api.useQuery('get', '/v1/queue');
  const next = queue.data?.data.find((row) => row.session_id === id)?.session;
  return (
    <p className="box small" data-preempting={id}>
      <Sentence
        text={t('slot.taken')}
        parts={{ name: next ? <SessionLink session={next} inline /> : <Link href={`/chat/${id}`}>{id}</Link> }}
      />
    </p>
  );
}
