// Registers the service worker and talks to it.

import { serverURL, storageName } from '../api/base';

const available = () => import.meta.env.PROD && 'serviceWorker' in navigator;

/** Has the service worker cache the page, so that it opens while the server is unreachable. Without a secure context
 * there is no worker, and the page works without it. */
export function keepShell(): void {
  if (!available()) return;
  navigator.serviceWorker.register(serverURL('/sw.js'), { updateViaCache: 'none' }).catch(() => {
    /* the next visit tries again */
  });
}

/** The registration of the service worker, or null if it is not available. */
export async function worker(): Promise<ServiceWorkerRegistration | null> {
  if (!available()) return null;
  await navigator.serviceWorker.register(serverURL('/sw.js'), { updateViaCache: 'none' });
  return navigator.serviceWorker.ready;
}

/** Shows a notification. On phones only a service worker may show one. */
export async function show(title: string, options: NotificationOptions): Promise<void> {
  const registration = available() ? await navigator.serviceWorker.getRegistration().catch(() => undefined) : undefined;
  if (registration?.active) await registration.showNotification(title, options).catch(() => {});
  else new Notification(title, options);
}

/** Calls the listener with the address when a notification is clicked. */
export function onOpened(listener: (url: string) => void): () => void {
  if (!available()) return () => {};
  const take = ({ data }: MessageEvent) => {
    const said = data as { fermata?: string; url?: string } | null;
    if (said?.fermata === 'open' && typeof said.url === 'string') listener(said.url);
  };
  navigator.serviceWorker.addEventListener('message', take);
  return () => navigator.serviceWorker.removeEventListener('message', take);
}

/** Where this browser stores the id of its push subscription. It is deleted on sign-out. */
export const store = storageName('push');

/** The id of this browser's push subscription; null if there is none. */
export function thisDevice(): string | null {
  try {
    return localStorage.getItem(store);
  } catch {
    return null;
  }
}

export const isSubscribed = (): boolean => thisDevice() !== null;
