import { useState } from 'react';
import { Link } from 'wouter';
import { $api } from '../../api/client';
import { Page } from '../../ui/Page';
import { Aside } from './Aside';
import { FirstSteps } from './FirstSteps';
import { Needs } from './Needs';
import { NextRuns } from './NextRuns';
import { QueueCard } from './Queue';
import { Recent } from './Recent';
import { SlotCard } from './Slot';
import styles from './home.module.css';
import { hideSteps, stepsHidden } from './steps';
import { texts } from './texts';
import { Today } from './Today';

/** The first steps are shown while there is no chat, and then until they are done. */
function useFirstSteps() {
  const chats = $api.useQuery('get', '/v1/sessions', { params: { query: { type: 'CHAT', limit: 6 } } });
  const [hidden, setHidden] = useState(stepsHidden);
  const [begun, setBegun] = useState(false);
  const fresh = chats.data?.data.length === 0;
  if (fresh && !begun) setBegun(true);
  return {
    show: !hidden && (fresh || begun),
    hide: () => {
      hideSteps();
      setHidden(true);
    },
  };
}

export default function Home() {
  const t = texts.use();
  const steps = useFirstSteps();
  return (
    <Page
      title={t('title')}
      actions={
        <Link href="/chat" className="button primary">
          {t('chat.new')}
        </Link>
      }
    >
      {steps.show && <FirstSteps onHide={steps.hide} />}
      <div className={styles.wide}>
        <SlotCard />
        <QueueCard />
      </div>
      <Aside />
      <div className={styles.wide}>
        <Needs />
        <NextRuns />
        <Today />
        <Recent />
      </div>
    </Page>
  );
}
