import { useState } from 'react';
import { useLocation } from 'wouter';
import { $api, api, body } from '../../api/client';
import { useAction } from '../../ui/action';
import { Page } from '../../ui/Page';
import { ProblemBox } from '../../ui/Problem';
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

/** The first steps are shown while there is no conversation, and then until they are done. */
function useFirstSteps() {
  const chats = $api.useQuery('get', '/v1/sessions', { params: { query: { type: 'CHAT', limit: 6 } } });
  const [hidden, setHidden] = useState(stepsHidden);
  const [begun, setBegun] = useState(false);
  const fresh = chats.data?.data.length === 0;
  if (fresh && !begun) setBegun(true);
  return { show: !hidden && (fresh || begun), hide: () => { hideSteps(); setHidden(true); } };
}

export default function Home() {
  const t = texts.use();
  const [, go] = useLocation();
  const steps = useFirstSteps();
  const create = useAction(async () => {
    const session = await body(api.POST('/v1/sessions', { body: {} }));
    go(`/chat/${session.id}`);
  });
  return (
    <Page title={t('title')} actions={<button type="button" className="primary" disabled={create.busy} onClick={() => void create.run()}>{t('chat.new')}</button>}>
      {create.problem != null && <ProblemBox thrown={create.problem} onClose={create.clear} />}
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
