// The stream for components.
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { events } from './client';
import type { Connection, StreamEvent } from './types';

/** Calls the handler with each event while the component is there. */
export function useEvents(handler: (event: StreamEvent) => void): void {
  const take = useEffectEvent(handler);
  useEffect(() => events.subscribe((event) => take(event)), []);
}

/** Asks for a session's own events while the component is there. */
export function useWatch(sessionID: string | undefined): void {
  useEffect(() => (sessionID ? events.watch(sessionID) : undefined), [sessionID]);
}

const subscribe = (changed: () => void) => events.onConnection(changed);
const read = () => events.connection();
export const useConnection = (): Connection => useSyncExternalStore(subscribe, read);
