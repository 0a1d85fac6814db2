import { Link } from 'wouter';
import type { Schemas } from '../../api/client';
import { Time } from '../../ui/Time';
import { visible } from '../../ui/visible';
import styles from './home.module.css';
import { Section } from './Section';
import { texts } from './texts';

/** The next scheduled runs. */
export function NextRuns({ automations }: { automations: Schemas['Automation'][] }) {
  const t = texts.use();
  const next = automations
    .filter((a) => a.enabled && a.next_run_at)
    .toSorted((a, b) => (a.next_run_at! < b.next_run_at! ? -1 : 1))
    .slice(0, 5);
  if (!next.length) return null;
  return (
    <Section title={t('next')} name="next">
      <ul className="rows">
        {next.map((a) => (
          <li key={a.id} className={styles.row} data-automation={a.id}>
            <Link href={`/automations/${a.id}`} className="clamp grow">
              <bdi>{visible(a.name)}</bdi>
            </Link>
            <span className={styles.when}>
              <Time at={a.next_run_at} absolute />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
