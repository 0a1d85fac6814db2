/// <reference lib="webworker" />
// The service worker. It opens the page while the server is unreachable, and shows push notifications.
// It does not handle requests to the API, nor the stream of events.
import { parsePush, targetOf } from './notification';
import { cachePrefix, fits, isAway, kindOf, pathIn, type Shell } from './shell';

declare const FERMATA_SHELL: Shell;
declare const self: ServiceWorkerGlobalScope;

const shell = FERMATA_SHELL;
const scope = new URL('.', self.location.href).href;
const prefix = cachePrefix(scope);
const own = prefix + shell.version;
const urlOf = (path: string) => scope + path;

/** Caches all files of this version, or none. */
async function cacheShell(): Promise<void> {
  const cache = await caches.open(own);
  try {
    await Promise.all(
      shell.files.map(async (path) => {
        // A file with a hash in its name may come from the browser's HTTP cache; the others are revalidated.
        const got = await fetch(urlOf(path), { cache: path.startsWith('assets/') ? 'default' : 'no-cache' });
        if (!got.ok) throw new Error(`${path}: ${got.status}`);
        if (path === '' && !fits(shell, await got.clone().text())) throw new Error('the page is of another version');
        await cache.put(urlOf(path), got);
      }),
    );
  } catch (thrown) {
    await caches.delete(own);
    throw thrown;
  }
}

async function deleteOldCaches(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(prefix) && name !== own).map((name) => caches.delete(name)));
}

const cached = async (path: string): Promise<Response | undefined> =>
  (await caches.open(own)).match(urlOf(path), { ignoreVary: true });

/** Requests a file from the server, and falls back to the cached one if the server is unreachable. */
async function networkFirst(path: string, request: () => Promise<Response>): Promise<Response> {
  try {
    const got = await request();
    return isAway(got.status) ? ((await cached(path)) ?? got) : got;
  } catch (thrown) {
    const got = await cached(path);
    if (!got) throw thrown;
    return got;
  }
}

self.addEventListener('install', (event) => {
  event.waitUntil(cacheShell().then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    Promise.all([deleteOldCaches(), self.registration.navigationPreload?.enable()]).then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const path = pathIn(scope, request.url) ?? '';
  switch (kindOf(shell, scope, request)) {
    case 'page':
      event.respondWith(
        networkFirst('', async () => ((await event.preloadResponse) as Response | undefined) ?? fetch(request)),
      );
      break;
    case 'file':
      event.respondWith(networkFirst(path, () => fetch(request)));
      break;
    case 'lasting':
      event.respondWith(cached(path).then((got) => got ?? fetch(request)));
      break;
    default: // the browser handles it
  }
});

self.addEventListener('push', (event) => {
  const { title, body, url, tag } = parsePush(event.data?.text() ?? '');
  event.waitUntil(
    self.registration.showNotification(title, {
      body,
      tag,
      icon: urlOf('icons/icon-192.png'),
      badge: urlOf('icons/badge-96.png'),
      data: { url: targetOf(url, scope) },
    }),
  );
});

/** Focuses an open window of the page and shows the address there, or opens a new window. */
async function open(url: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const pages = windows.filter((client) => pathIn(scope, client.url) === '');
  const page =
    pages.find((client) => client.focused) ?? pages.find((client) => client.visibilityState === 'visible') ?? pages[0];
  if (!page) {
    await self.clients.openWindow(url);
    return;
  }
  page.postMessage({ fermata: 'open', url }, { transfer: [] }); // the signature of a client's postMessage, without an origin
  await page.focus();
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { url } = (event.notification.data ?? {}) as { url?: string };
  event.waitUntil(open(targetOf(url ?? '', scope)));
});
