// The page's side of its worker.

import { serverURL, storageName } from '../api/base';

const available = () => import.meta.env.PROD && 'serviceWorker' in navigator;

/** Has the worker keep the page, so that it opens where the server is not there. Where there is no
 * secure context there is no worker, and the page is as good without. */
export function keepShell(): void {
  if (!available()) return;
  navigator.serviceWorker.register(serverURL('/sw.js'), { updateViaCache: 'none' }).catch(() => {
    /* not now: the next visit tries again */
  });
}

/** The worker, where there is one or may be one. */
export async function worker(): Promise<ServiceWorkerRegistration | null> {
  if (!available()) return null;
  await navigator.serviceWorker.register(serverURL('/sw.js'), { updateViaCache: 'none' });
  return navigator.serviceWorker.ready;
}

/** Shows a notification. Phones let only a worker show one. */
export async function show(title: string, options: NotificationOptions): Promise<void> {
  const registration = available() ? await navigator.serviceWorker.getRegistration().catch(() => undefined) : undefined;
  if (registration?.active) await registration.showNotification(title, options).catch(() => {});
  else new Notification(title, options);
}

/** Told where a click on a notification leads. */
export function onOpened(listener: (url: string) => void): () => void {
  if (!available()) return () => {};
  const take = ({ data }: MessageEvent) => {
    const said = data as { fermata?: string; url?: string } | null;
    if (said?.fermata === 'open' && typeof said.url === 'string') listener(said.url);
  };
  navigator.serviceWorker.addEventListener('message', take);
  return () => navigator.serviceWorker.removeEventListener('message', take);
}

/** Where this browser remembers under which id it is told. It is forgotten when somebody signs out. */
export const store = storageName('push');

/** Under which id the server knows this browser; null: it was not asked to tell it. */
export function thisDevice(): string | null {
  try {
    return localStorage.getItem(store);
  } catch {
    return null;
  }
}

export const isTold = (): boolean => thisDevice() !== null;
