import { Plus } from 'lucide-react';
import { Suspense, useState } from 'react';
import { Link } from 'wouter';
import { screen } from '../../shell/screen';
import { Icon } from '../../ui/Icon';
import { Page } from '../../ui/Page';
import { ProblemBox } from '../../ui/Problem';
import { Skeleton } from '../../ui/Skeleton';
import { texts } from './texts';
import { useHome } from './useHome';

// Only one of the two is loaded at first.
const Newcomer = screen(() => import('./Newcomer'));
const EveryDay = screen(() => import('./EveryDay'));

/** What needs attention, what is active, what is next; or, for new users, a first action. */
export default function Home() {
  const t = texts.use();
  const home = useHome();
  const fresh =
    home.ready && !home.chats.length && !home.automations.length && !home.approvals.length && !home.slot?.holder;
  // The introduction stays until a message is sent, whatever else arrives.
  const [began, setBegan] = useState<boolean | null>(null);
  if (home.ready && began === null) setBegan(fresh);
  if (began && home.ready && home.chats.length > 0) setBegan(false);
  if (began && home.ready)
    return (
      <Suspense fallback={<div data-loading />}>
        <Newcomer home={home} />
      </Suspense>
    );
  return (
    <Page
      title={t('title')}
      actions={
        <Link href="/chat" className="button primary">
          <Icon of={Plus} />
          {t('chat.new')}
        </Link>
      }
    >
      {home.failed ? <ProblemBox thrown={home.failed} onRetry={home.again} /> : null}
      {home.ready && (
        <Suspense fallback={<Skeleton rows={6} />}>
          <EveryDay home={home} />
        </Suspense>
      )}
      {!home.ready && !home.failed && <Skeleton rows={6} />}
    </Page>
  );
}
