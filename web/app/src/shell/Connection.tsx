import { useEffect, useState } from 'react';
import { serverURL } from '../api/base';
import { useConnection } from '../events/react';
import { texts } from './texts';

const patience = 2000; // milliseconds in which most connections recover
const again = 1000; // milliseconds until a server that answered is checked once more

/** The bar that shows that the connection is lost. It moves the page down and covers nothing. */
export function ConnectionBar() {
  const t = texts.use();
  const connection = useConnection();
  const offline = useOffline();
  const since = connection.state === 'lost' ? connection.since : null;
  const [late, setLate] = useState<number | null>(null); // the loss that lasted too long
  useEffect(() => {
    if (since === null) return undefined;
    const timer = setTimeout(() => setLate(since), Math.max(0, patience - (performance.now() - since)));
    return () => clearTimeout(timer);
  }, [since]);
  const shown = offline || (since !== null && late === since);
  useEffect(() => {
    if (shown) document.documentElement.dataset.net = 'lost';
    else delete document.documentElement.dataset.net;
  }, [shown]);
  return (
    <div id="net" className={shown ? 'net shown' : 'net'} role="status">
      {shown && t(navigator.onLine ? 'net.lost' : 'net.offline')}
    </div>
  );
}

/** Whether the browser is offline and the server unreachable: one on this machine still answers. */
function useOffline(): boolean {
  const [offline, setOffline] = useState(false);
  useEffect(() => {
    let timer = 0;
    const look = async (asked: boolean) => {
      clearTimeout(timer);
      if (navigator.onLine) return setOffline(false);
      const there = await fetch(serverURL('/healthz'), { cache: 'no-store' }).then(
        () => true,
        () => false,
      );
      setOffline(!there && !navigator.onLine);
      // A response may still be on its way when the network goes down.
      if (there && !asked) timer = window.setTimeout(() => void look(true), again);
      return undefined;
    };
    const changed = () => void look(false);
    window.addEventListener('offline', changed);
    window.addEventListener('online', changed);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('offline', changed);
      window.removeEventListener('online', changed);
    };
  }, []);
  return offline;
}
