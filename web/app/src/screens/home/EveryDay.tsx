import { useTroubles } from '../../shell/troubles';
import styles from './home.module.css';
import { Needs } from './Needs';
import { NextRuns } from './NextRuns';
import { Now } from './Now';
import { Recent } from './Recent';
import { texts } from './texts';
import { Then } from './Then';
import { Today } from './Today';
import type { HomeData } from './useHome';

/** What needs attention, what is active, what is next. Empty sections are omitted. */
export default function EveryDay({ home }: { home: HomeData }) {
  const t = texts.use();
  const troubles = useTroubles();
  const needs = home.approvals.length + troubles.automations.length + troubles.chats.length + troubles.others.length;
  return (
    <div className={styles.sections}>
      {needs === 0 && (
        <p className={styles.clear} data-clear>
          {t('clear')}
        </p>
      )}
      {needs > 0 && <Needs approvals={home.approvals} troubles={troubles} />}
      <Now home={home} />
      <Then home={home} />
      <NextRuns automations={home.automations} />
      <Today home={home} />
      <Recent chats={home.chats} />
    </div>
  );
}
