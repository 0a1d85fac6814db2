import { Square } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../../api/client';
import { useWatch } from '../../events/react';
import { Confirm } from '../../ui/Confirm';
import { Icon } from '../../ui/Icon';
import { ReleaseSlot } from '../../ui/ReleaseSlot';
import { Sentence } from '../../ui/Sentence';
import { Elapsed, SessionLink, useWords } from '../../ui/session';
import styles from './home.module.css';
import { Section } from './Section';
import { texts } from './texts';
import type { HomeData } from './useHome';

/** The active sessions, for how long, and what waits for them. Idle chats are omitted unless something waits for
 * them. */
export function Now({ home }: { home: HomeData }) {
  const t = texts.use();
  const { slot, queue, suspended } = home;
  const holder = slot?.holder;
  useWatch(holder?.id); // its phases are sent only to those who watch it
  if (!slot || !holder || (holder.phase === 'IDLE' && !queue?.data.length && !suspended.length)) return null;
  return (
    <Section title={t('now')} name="slot">
      <Holder home={home} />
      <ReleaseSlot />
    </Section>
  );
}

function Holder({ home }: { home: HomeData }) {
  const t = texts.use();
  const words = useWords();
  const [stopping, setStopping] = useState(false);
  const slot = home.slot!;
  const holder = slot.holder!;
  const phase = slot.phase ?? holder.phase;
  const chat = holder.type === 'CHAT';
  const next = home.queue?.data.find((row) => row.session_id === slot.preempting)?.session;
  return (
    <div className={styles.row} data-phase={phase}>
      <span className={`${styles.icon} ${styles.dot}`} data-busy={holder.status === 'running'} aria-hidden="true" />
      <div className="grow">
        <SessionLink session={holder} />
        <p className="meta">
          {words.phase(phase)}
          {slot.since && (
            <>
              {' · '}
              <Elapsed since={slot.since} />
            </>
          )}
          {' · '}
          <Link href={`/timeline/${holder.id}`}>{t('now.timeline')}</Link>
        </p>
        {slot.preempting && (
          <p className="small" data-preempting={slot.preempting}>
            <Sentence
              text={t('now.taken')}
              parts={{
                name: next ? (
                  <SessionLink session={next} inline />
                ) : (
                  <Link href={`/chat/${slot.preempting}`}>{t('now.next')}</Link>
                ),
              }}
            />
          </p>
        )}
      </div>
      {holder.status === 'running' && (
        <div className={styles.buttons}>
          <button
            type="button"
            className="small"
            aria-label={t('of', { what: t('stop'), name: (holder.name || words.type(holder.type)).slice(0, 80) })}
            onClick={() => setStopping(true)}
          >
            <Icon of={Square} />
            {t('stop')}
          </button>
        </div>
      )}
      {stopping && (
        <Confirm
          title={t(chat ? 'stop.chat' : 'stop.run')}
          yes={t('stop')}
          danger
          onClose={() => setStopping(false)}
          act={async () => {
            const params = { path: { session_id: holder.id } };
            if (chat) await api.POST('/v1/sessions/{session_id}/interrupt', { params });
            else await api.POST('/v1/sessions/{session_id}/stop', { params });
          }}
        >
          <p>{t(chat ? 'stop.chat.text' : 'stop.run.text')}</p>
        </Confirm>
      )}
    </div>
  );
}
