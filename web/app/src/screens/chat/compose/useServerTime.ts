import { useState } from 'react';
import { useConnection } from '../../../events/react';
import { useNow } from '../../../ui/Time';

/** The server's time, for the clocks of a session. It stops while the connection is lost: the session's state is
 * unknown then. */
export function useServerTime(): number {
  const now = useNow();
  const lost = useConnection().state === 'lost';
  const [stood, stand] = useState<number | null>(null);
  if (lost && stood === null) stand(now);
  if (!lost && stood !== null) stand(null);
  return stood ?? now;
}
