import type { Schemas } from '../../api/client';
import { SessionLink } from '../../ui/session';
import { Time } from '../../ui/Time';
import styles from './home.module.css';
import { Section } from './Section';
import { texts } from './texts';

/** The most recent chats. */
export function Recent({ chats }: { chats: Schemas['Session'][] }) {
  const t = texts.use();
  if (!chats.length) return null;
  return (
    <Section title={t('recent')} name="recent" more={{ href: '/chat', text: t('recent.all') }}>
      <ul className="rows">
        {chats.slice(0, 5).map((s) => (
          <li key={s.id} className={styles.row}>
            <div className="grow">
              <SessionLink session={s} />
            </div>
            <span className={styles.when}>
              <Time at={s.last_event_time} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
