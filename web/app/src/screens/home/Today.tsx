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

/** Today's usage in one line. The workspace defines when a day begins. */
export function Today({ home }: { home: HomeData }) {
  const t = texts.use();
  const f = useFormat();
  const now = useNow();
  const { settings, usage } = home;
  const day = settings ? dayOf(now, settings.time_zone, settings.day_start_hour) : '';
  const sum = totalOf(usage.filter((row) => row.key === day));
  if (sum.calls === 0) return null;
  const parts = [
    sum.cost > 0 ? f.money(sum.cost, 'USD') : '', // omitted if everything was free or the price is unknown
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
