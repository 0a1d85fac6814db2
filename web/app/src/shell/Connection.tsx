import { useEffect, useState } from 'react';
import { useConnection } from '../events/react';
import { texts } from './texts';

const patience = 2000; // milliseconds in which a connection mostly comes back unseen

/** The bar that says that the connection is gone. */
export function ConnectionBar() {
  const t = texts.use();
  const connection = useConnection();
  const since = connection.state === 'lost' ? connection.since : null;
  const [late, setLate] = useState<number | null>(null); // the loss that lasted too long
  useEffect(() => {
    if (since === null) return undefined;
    const timer = setTimeout(() => setLate(since), Math.max(0, patience - (performance.now() - since)));
    return () => clearTimeout(timer);
  }, [since]);
  const shown = since !== null && late === since;
  return (
    <div id="net" className={shown ? 'net shown' : 'net'} role="status">
      {shown && t(navigator.onLine ? 'net.lost' : 'net.offline')}
    </div>
  );
}
