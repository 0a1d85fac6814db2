import { useEffect, useState } from 'react';
import { Confirm } from '../../../ui/Confirm';
import { formTexts } from './texts';

/** Asks before a link leaves unsaved changes; the browser asks before the page is closed. Going back is not blocked:
 * the draft is still there on return. */
export function LeaveGuard({ dirty, onLeave }: { dirty: boolean; onLeave: () => void }) {
  const t = formTexts.use();
  const [to, setTo] = useState<string | null>(null);
  useEffect(() => {
    if (!dirty) return undefined;
    const unload = (e: BeforeUnloadEvent) => {
      e.preventDefault();
    };
    const click = (e: MouseEvent) => {
      const link = e.target instanceof Element ? e.target.closest('a[href^="#/"]') : null;
      if (!link || e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey || link.getAttribute('target'))
        return;
      e.preventDefault();
      e.stopPropagation();
      setTo(link.getAttribute('href'));
    };
    window.addEventListener('beforeunload', unload);
    document.addEventListener('click', click, true);
    return () => {
      window.removeEventListener('beforeunload', unload);
      document.removeEventListener('click', click, true);
    };
  }, [dirty]);
  if (to === null) return null;
  return (
    <Confirm
      title={t('leave.title')}
      yes={t('leave.yes')}
      danger
      onClose={() => setTo(null)}
      act={async () => {
        onLeave();
        location.hash = to;
      }}
    >
      <p>{t('leave.text')}</p>
    </Confirm>
  );
}
