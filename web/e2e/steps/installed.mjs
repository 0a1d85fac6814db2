// The installed page: its manifest, what its worker caches, and how it works offline.
import { becomes, check, none, same, signIn, tidy, until } from '../harness.mjs';
import { settled } from '../screens.mjs';

const phone = { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true };
const worker = { serviceWorkers: 'allow' };

/** Waits until the worker has cached the page and all of its files. */
const kept = (page) =>
  until(
    'the worker keeps the page',
    () =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        return (
          registration?.active?.state === 'activated' &&
          !registration.installing &&
          !registration.waiting &&
          navigator.serviceWorker.controller !== null
        );
      }),
    60_000,
  );

/** The caches of the page as [cache, path]. */
const caches = (page) =>
  page.evaluate(async () => {
    const all = [];
    for (const name of await globalThis.caches.keys())
      for (const { url } of await (await globalThis.caches.open(name)).keys()) all.push([name, new URL(url).pathname]);
    return all;
  });

export const steps = [
  {
    name: 'the manifest is valid, its icons match it, and the browser finds the page installable',
    async run({ open, base }) {
      const page = await open({ ...worker });
      await settled(page);
      await kept(page);
      const cdp = await page.context().newCDPSession(page);
      const { url, errors, data } = await cdp.send('Page.getAppManifest');
      same(errors, [], 'errors of the manifest');
      check(url.endsWith('/manifest.webmanifest'), `the manifest is ${url}`);
      const manifest = JSON.parse(data);
      same([manifest.start_url, manifest.display], ['./', 'standalone'], 'where it starts, and how');
      const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors');
      none(
        installabilityErrors.map((e) => JSON.stringify(e)).filter((e) => !e.includes('in-incognito')), // as in every test page
        'what keeps the page from being installed',
      );
      for (const { src, sizes } of manifest.icons.filter((icon) => icon.type === 'image/png')) {
        const bytes = Buffer.from(await (await fetch(new URL(src, `${base}/`))).arrayBuffer());
        same(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes, src);
      }
    },
  },
  {
    name: 'the worker caches the shell and no API response; without the server the page opens and reports it',
    async run({ open, call, server, line, shot }) {
      const page = await open({ ...phone, ...worker, at: '/approvals' });
      await settled(page);
      await kept(page);
      for (const at of ['/', '/data', '/settings/you', '/chat']) {
        await page.goto(`${line.url}/#${at}`);
        await settled(page);
      }
      await page.reload(); // now served by the worker
      await settled(page);
      await call('POST', '/v1/zones', { name: 'Health' });
      const all = await caches(page);
      check(all.length > 20, `${all.length} files are kept`);
      same(new Set(all.map(([name]) => name)).size, 1, 'caches');
      none(
        all
          .map(([, path]) => path)
          .filter((path) => !/^\/($|assets\/|first\.js$|icon\.svg$|manifest\.webmanifest$)/.test(path)),
        'kept, and no part of the shell',
      );
      none(
        all.map(([, path]) => path).filter((path) => path.startsWith('/assets/docs-')),
        'kept for nothing',
      );

      line.set('cut');
      await server.kill();
      for (const mode of ['cut', '503']) {
        line.set(mode);
        await page.goto('about:blank');
        await page.goto(`${line.url}/#/usage`);
        await page.locator('#net.shown').waitFor();
        check((await page.locator('#net').innerText()).trim() !== '', `${mode}: nothing is said`);
        await page.getByRole('heading', { level: 1 }).waitFor();
      }
      await tidy(page, 'the page without a server');
      await shot(page, 'installed-away');
      await server.start();
      line.set('open');
      await until('the bar goes', async () => !(await page.locator('#net.shown').isVisible()));
      page.bad = page.bad.filter((said) => !said.includes('about:blank'));
    },
  },
  {
    name: 'a signed-in reader sees that the server is unreachable, before their identity is known',
    async run({ open, locked }) {
      const server = await locked();
      const page = await open({ ...worker, base: server.base });
      await page.getByLabel('API key').waitFor();
      await signIn(page, server.key);
      await settled(page);
      await kept(page);
      await server.kill();
      await page.reload();
      await page.locator('#net.shown').waitFor();
      await page.getByRole('heading', { level: 1 }).waitFor();
      await server.start();
      await until('the bar goes', async () => !(await page.locator('#net.shown').isVisible()));
      await settled(page);
    },
  },
  {
    name: 'a new version is loaded next time, replaces the old one, and opens without a server',
    async run({ open, line }) {
      const page = await open({ ...worker });
      await settled(page);
      await kept(page);
      const [[before]] = await caches(page);
      // The same page with different file names, as after a build.
      line.changes.set('/', (text) => text.replace('<title>Fermata', '<title>Fermata II'));
      line.changes.set('/sw.js', (text) => text.replace(/"version":"\w+"/, '"version":"next"'));
      const titled = () =>
        page.evaluate(async () =>
          (await (await fetch('/', { headers: { Accept: 'text/html' } })).text()).includes('II'),
        );
      await page.reload();
      await settled(page);
      check(await titled(), 'the first load after the update is an old one');
      await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
      await until('the new worker has taken over', async () => {
        const names = new Set((await caches(page)).map(([name]) => name));
        return names.size === 1 && !names.has(before);
      });
      await kept(page);
      line.set('cut');
      const html = await page.reload().then((r) => r.text());
      check(html.includes('Fermata II'), 'without a server the old page comes back');
      await page.locator('#net.shown').waitFor();
    },
  },
  {
    name: 'an incompletely installed worker is discarded: the page continues to work',
    async run({ open, line }) {
      const page = await open({ ...worker });
      line.changes.set('/icon.svg', () => null);
      await page.evaluate(() =>
        navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' }).then((made) => {
          const coming = made.installing;
          return new Promise((done) => {
            coming.addEventListener('statechange', () => coming.state === 'redundant' && done());
          });
        }),
      );
      same(await caches(page), [], 'what was kept of half a version');
      line.changes.clear();
      await page.reload();
      await settled(page);
      await kept(page);
      check((await caches(page)).length > 20, 'the next try keeps all');
    },
  },
  {
    name: 'a push message is shown, and a click on it opens its subject in the open page',
    async run({ open, base, browser, call }) {
      const page = await open({ ...worker, base, permissions: ['notifications'] });
      await settled(page);
      await kept(page);
      await call('PATCH', '/v1/settings', { require_validation: true });
      await call('POST', '/v1/sessions', { message: { text: 'create a zone Garden' } });
      const { id } = await until('it asks', async () => (await call('GET', '/v1/approvals?status=open')).data.at(0));
      const cdp = await page.context().newCDPSession(page);
      const registered = new Promise((done) => {
        cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
          if (registrations[0]) done(registrations[0].registrationId);
        });
      });
      await cdp.send('ServiceWorker.enable');
      const push = async (data) =>
        cdp.send('ServiceWorker.deliverPushMessage', {
          origin: base,
          registrationId: await registered,
          data: typeof data === 'string' ? data : JSON.stringify(data),
        });
      const shown = () =>
        page.evaluate(async () => {
          const all = await (await navigator.serviceWorker.ready).getNotifications();
          return all.map(({ title, body, tag, data }) => ({ title, body, tag, url: data.url }));
        });
      const said = { title: 'One thing waits for you', body: 'Changes to approve', tag: id, url: `/#/approvals/${id}` };
      await push({ ...said, approval_id: id });
      await becomes(shown, [{ ...said, url: `${base}/#/approvals/${id}` }], 'what is shown');
      await push({ ...said, body: 'Two', url: 'https://evil.example/' });
      await becomes(
        async () => (await shown()).map(({ body, url }) => [body, url]),
        [['Two', `${base}/#/approvals`]],
        'one with the same tag takes its place, and leads nowhere else',
      );
      await push('not JSON');
      await becomes(async () => (await shown()).length, 2, 'one that says nothing is shown too');

      // A headless browser has no notification to click: the event is dispatched in the worker.
      const [running] = page.context().serviceWorkers();
      await running.evaluate(async (url) => {
        const [first] = await self.registration.getNotifications();
        const event = new Event('notificationclick');
        Object.defineProperty(event, 'notification', { value: { close: () => first.close(), data: { url } } });
        event.waitUntil = (promise) => {
          globalThis.clicked = promise.catch(() => {}); // focus() needs a real click
        };
        self.dispatchEvent(event);
      }, `${base}/#/approvals/${id}`);
      await becomes(() => page.evaluate(() => location.hash), `#/approvals/${id}`, 'where the click leads');
      await page.locator(`[data-approval="${id}"]`).waitFor();
      check(browser.contexts().length > 0, 'the browser is there');
    },
  },
  {
    name: 'a click on a push notification without an open page opens its subject in a new window',
    async run({ open, base, call }) {
      await call('PATCH', '/v1/settings', { require_validation: true });
      const { id: session } = await call('POST', '/v1/sessions', { message: { text: 'create a zone Orchard' } });
      const [{ id }] = await until('it asks', async () => {
        const { data } = await call('GET', `/v1/approvals?status=open&session_id=${session}`);
        return data.length > 0 && data;
      });
      const page = await open({ ...worker, base });
      await settled(page);
      await kept(page);
      const context = page.context();
      const [running] = context.serviceWorkers();
      const other = await context.newPage(); // so that the browser keeps the worker; it is not ours
      await page.close();
      const pressed = (url) =>
        running.evaluate(async (about) => {
          // A browser only opens a window after a real click: the call is checked instead.
          let asked = '';
          self.clients.openWindow = async (at) => {
            asked = at;
            return null;
          };
          const event = new Event('notificationclick');
          Object.defineProperty(event, 'notification', { value: { close() {}, data: { url: about } } });
          let done;
          event.waitUntil = (promise) => {
            done = promise;
          };
          self.dispatchEvent(event);
          await done;
          return asked;
        }, url);
      const address = `${base}/#/approvals/${id}`;
      same(await pressed(address), address, 'what is opened');
      same(await pressed('https://evil.example/'), `${base}/#/approvals`, 'what is opened for an address elsewhere');
      await other.goto(await pressed(address));
      await other.locator(`[data-approval="${id}"]`).waitFor();
    },
  },
];
