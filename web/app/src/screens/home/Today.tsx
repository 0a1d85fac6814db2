import { ChevronRight } from 'lucide-react';
import { Link } from 'wouter';
import { useFormat } from '../../i18n/format';
import { Icon } from '../../ui/Icon';
import { useNow } from '../../ui/Time';
import { dayOf, totalOf } from '../usage/sums';
import styles from './home.module.css';
import { Section } from './Section';
import { texts } from './texts';
import type { HomeData } from './useHome';

/** What today has used, in one line. A day begins when the workspace says so. */
export function Today({ home }: { home: HomeData }) {
  const t = texts.use();
  const f = useFormat();
  const now = useNow();
  const { settings, usage } = home;
  const day = settings ? dayOf(now, settings.time_zone, settings.day_start_hour) : '';
  const sum = totalOf(usage.filter((row) => row.key === day));
  if (sum.calls === 0) return null;
  const parts = [
    sum.cost > 0 ? f.money(sum.cost, 'USD') : '', // nothing where all was free, or nobody knows
    t('today.calls', { n: sum.calls }),
    sum.tokens > 0 ? t('today.tokens', { n: f.number(sum.tokens) }) : '',
    sum.errors > 0 ? t('today.failed', { n: sum.errors }) : '',
  ].filter(Boolean);
  return (
    <Section title={t('today')} name="today">
      <Link href="/usage" className={`${styles.row} ${styles.line}`}>
        <span className="grow figures">{parts.join(' · ')}</span>
        <Icon of={ChevronRight} />
      </Link>
    </Section>
  );
}
