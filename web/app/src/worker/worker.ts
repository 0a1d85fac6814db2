/// <reference lib="webworker" />
// The page's worker. It opens the page where the server is not there, and shows what is pushed.
// What the API answers, and the stream of events, go past it.
import { cacheOf, fits, isAway, kindOf, prefix, type Shell } from './shell';
import { read, target } from './told';

declare const FERMATA_SHELL: Shell;
declare const self: ServiceWorkerGlobalScope;

const shell = FERMATA_SHELL;
const here = self.location.origin;
const own = cacheOf(shell);

/** Fetches all of this version, or nothing. */
async function keep(): Promise<void> {
  const cache = await caches.open(own);
  try {
    await Promise.all(
      shell.files.map(async (path) => {
        // What is named by its content may come from the browser's own cache; the rest is asked for.
        const got = await fetch(path, { cache: path.startsWith('/assets/') ? 'default' : 'no-cache' });
        if (!got.ok) throw new Error(`${path}: ${got.status}`);
        if (path === '/' && !fits(shell, await got.clone().text())) throw new Error('the page is another one by now');
        await cache.put(path, got);
      }),
    );
  } catch (thrown) {
    await caches.delete(own);
    throw thrown;
  }
}

async function forgetOlder(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(prefix) && name !== own).map((name) => caches.delete(name)));
}

const kept = async (path: string): Promise<Response | undefined> =>
  (await caches.open(own)).match(path, { ignoreVary: true });

/** Asks the server, and takes what is kept where it is not there: so nothing is ever stale. */
async function freshOr(path: string, ask: () => Promise<Response>): Promise<Response> {
  try {
    const got = await ask();
    return isAway(got.status) ? ((await kept(path)) ?? got) : got;
  } catch (thrown) {
    const got = await kept(path);
    if (!got) throw thrown;
    return got;
  }
}

self.addEventListener('install', (event) => {
  event.waitUntil(keep().then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    Promise.all([forgetOlder(), self.registration.navigationPreload?.enable()]).then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const path = new URL(request.url).pathname;
  switch (kindOf(shell, here, request)) {
    case 'page':
      event.respondWith(
        freshOr('/', async () => ((await event.preloadResponse) as Response | undefined) ?? fetch(request)),
      );
      break;
    case 'file':
      event.respondWith(freshOr(path, () => fetch(request)));
      break;
    case 'lasting':
      event.respondWith(kept(path).then((got) => got ?? fetch(request)));
      break;
    default: // not ours
  }
});

self.addEventListener('push', (event) => {
  const { title, body, url, tag } = read(event.data?.text() ?? '');
  event.waitUntil(
    self.registration.showNotification(title, {
      body,
      tag,
      icon: '/icons/icon-192.png',
      badge: '/icons/badge-96.png',
      data: { url: target(url, here) },
    }),
  );
});

/** Brings the page to the front, at what was told of; opens it where it is not open. */
async function open(url: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const pages = windows.filter((client) => new URL(client.url).pathname === '/');
  const page =
    pages.find((client) => client.focused) ?? pages.find((client) => client.visibilityState === 'visible') ?? pages[0];
  if (!page) {
    await self.clients.openWindow(url);
    return;
  }
  page.postMessage({ fermata: 'open', url }, { transfer: [] }); // a worker's own, which knows no origins
  await page.focus();
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { url } = (event.notification.data ?? {}) as { url?: string };
  event.waitUntil(open(target(url ?? '', here)));
});
