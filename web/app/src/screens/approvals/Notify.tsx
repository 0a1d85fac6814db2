import { useState } from 'react';
import { announce } from '../../shell/announce';
import { texts } from './texts';

/** Requests the browser's permission for notifications of pending approvals while the page is hidden. */
export function Notify() {
  const t = texts.use();
  const [permission, setPermission] = useState(() => ('Notification' in window ? Notification.permission : 'missing'));
  if (permission === 'missing') return null;
  if (permission === 'granted') return <p className="small muted">{t('notify.on')}</p>;
  if (permission === 'denied') return <p className="small muted">{t('notify.denied')}</p>;
  const ask = async () => {
    const said = await Notification.requestPermission();
    setPermission(said);
    announce(t(said === 'granted' ? 'notify.on' : 'notify.denied'));
  };
  return (
    <p>
      <button type="button" className="small" data-do="notify" onClick={() => void ask()}>
        {t('notify')}
      </button>
    </p>
  );
}
