import { Page } from '../../ui/Page';
import { Read } from '../../ui/Read';
import { Inbox } from './Inbox';
import { Notify } from './Notify';
import { Recent } from './Recent';
import { texts } from './texts';
import { useOpen } from './useOpen';

/** All pending approvals of all sessions. The address may name one, or `all`: to approve all pending changes. */
export default function Approvals({ id }: { id?: string }) {
  const t = texts.use();
  const open = useOpen();
  return (
    <Page title={t('title')} actions={<Notify />}>
      <Read query={open.query}>{() => <Inbox open={open} wanted={id} />}</Read>
      <Recent />
    </Page>
  );
}
