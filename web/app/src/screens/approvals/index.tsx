import { Page } from '../../ui/Page';
import { Read } from '../../ui/Read';
import { Inbox } from './Inbox';
import { Notify } from './Notify';
import { Recent } from './Recent';
import { texts } from './texts';
import { useOpen } from './useOpen';

/** Everything that waits for a person, of all sessions. */
export default function Approvals() {
  const t = texts.use();
  const open = useOpen();
  return (
    <Page title={t('title')} actions={<Notify />}>
      <Read query={open.query}>{() => <Inbox open={open} />}</Read>
      <Recent />
    </Page>
  );
}
