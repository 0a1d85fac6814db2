import { useEffect, useRef, useState } from 'react';
import { serverURL } from '../api/base';
import { isSubscribed, show } from '../worker/register';
import { texts } from './texts';

/** The tab's title: the screen and the number of pending items. A hidden page also shows a notification, if that is
 * allowed. */
export function Title({ waiting }: { waiting: number }) {
  const t = texts.use();
  const [name, setName] = useState('');
  useEffect(() => {
    const read = () => setName(document.body.dataset.title ?? '');
    read();
    window.addEventListener('fermata:title', read);
    return () => window.removeEventListener('fermata:title', read);
  }, []);
  useEffect(() => {
    document.title = `${waiting ? `(${waiting}) ` : ''}${name ? `${name} · ` : ''}Fermata`;
  }, [waiting, name]);
  const before = useRef(waiting);
  useEffect(() => {
    if (
      waiting > before.current &&
      document.hidden &&
      !isSubscribed() && // push notifications are sent by the server
      'Notification' in window &&
      Notification.permission === 'granted'
    ) {
      void show(t('note.title'), {
        body: t('waiting', { n: waiting }),
        tag: 'fermata-waiting',
        icon: serverURL('/icon.svg'),
      });
    }
    before.current = waiting;
  }, [waiting, t]);
  return null;
}
