import { useState } from 'react';
import { useConnection } from '../../../events/react';
import { useNow } from '../../../ui/Time';

/** The time by which a session is watched. While the server is not heard of it stands still:
 * nobody knows then whether the session goes on. */
export function useServerTime(): number {
  const now = useNow();
  const lost = useConnection().state === 'lost';
  const [stood, stand] = useState<number | null>(null);
  if (lost && stood === null) stand(now);
  if (!lost && stood !== null) stand(null);
  return stood ?? now;
}
