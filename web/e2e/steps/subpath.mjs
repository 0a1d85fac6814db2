// The page behind a reverse proxy that serves it below a path, and removes that path from each request.
import http from 'node:http';
import { becomes, check, french, none, same, until } from '../harness.mjs';
import { go, screens, settled } from '../screens.mjs';

const prefix = '/fermata';

// Proxy passes requests below the prefix on to a server. Everything else is 404, and is recorded.
class Proxy {
  outside = []; // requests that a page made outside the prefix

  async open() {
    this.server = http.createServer((request, response) => this.pass(request, response));
    await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
    this.origin = `http://127.0.0.1:${this.server.address().port}`;
    this.url = this.origin + prefix;
    return this;
  }

  pass(request, response) {
    if (request.url === prefix) return response.writeHead(308, { Location: `${prefix}/` }).end();
    if (!request.url.startsWith(`${prefix}/`)) {
      if (request.url !== '/favicon.ico') this.outside.push(`${request.method} ${request.url}`);
      return response.writeHead(404).end();
    }
    const { hostname, port } = new URL(this.target);
    const passed = http.request(
      {
        hostname,
        port,
        method: request.method,
        path: request.url.slice(prefix.length),
        headers: request.headers,
        agent: false,
      },
      (answer) => {
        response.writeHead(answer.statusCode, answer.rawHeaders);
        response.flushHeaders();
        answer.pipe(response);
      },
    );
    passed.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  }

  close() {
    this.server.close();
    this.server.closeAllConnections();
  }
}

// behind returns a server that is only reachable through a proxy of its own.
async function behind(freshServer, { env = {}, key } = {}) {
  const proxy = await new Proxy().open();
  const server = await freshServer({ env: { FERMATA_PUBLIC_URL: proxy.url, ...env }, key });
  proxy.target = server.base;
  return { proxy, ...server };
}

const rootKey = 'e2e-root-key-0123456789-0123456789';

export const steps = [
  {
    name: 'below a path: every screen, live events, links, the API documentation and uploads',
    lasts: 180_000,
    async run({ freshServer, open, shot }) {
      const { proxy, call } = await behind(freshServer);
      try {
        const page = await open({ base: proxy.url, at: '/' });
        for (const { at } of [...screens, { at: '/settings/page' }]) {
          await page.goto(`${proxy.url}/#${at}`);
          await settled(page);
          await page.locator('#page-title').waitFor({ state: 'attached' });
        }
        // A message and its answer arrive over the stream of events.
        await page.goto(`${proxy.url}/#/chat`);
        await page.locator('#message').fill('create a zone Orchard');
        await page.keyboard.press('Enter');
        await page.waitForURL(/\/fermata\/#\/chat\/ses_/);
        await page.locator('[data-command=CREATE_ZONE]').first().waitFor();
        await shot(page, 'subpath-chat');
        await page
          .locator('input[type=file]')
          .first()
          .setInputFiles({
            name: 'note.txt',
            mimeType: 'text/plain',
            buffer: Buffer.from('A note.'),
          });
        await page.getByText('note.txt').first().waitFor();
        await call('POST', '/v1/zones', { name: 'Attic' });
        await go(page, '/data');
        await page.getByText('Attic').first().waitFor();
        await call('POST', '/v1/zones', { name: 'Cellar' });
        await page.getByText('Cellar').first().waitFor(); // by an event, without a reload

        await page.goto(`${proxy.url}/#/system`);
        const docs = page.locator('a[href$="/docs"]').first();
        same(await docs.evaluate((a) => a.href), `${proxy.url}/docs`, 'the link to the API documentation');
        await page.goto(`${proxy.url}/docs`);
        await page.locator('.swagger-ui .opblock-tag').first().waitFor();
        none(proxy.outside, 'requested outside the path');
      } finally {
        proxy.close();
      }
    },
  },
  {
    name: 'below a path: the service worker, the manifest, and the page without its server',
    async run({ freshServer, open }) {
      const { proxy, kill } = await behind(freshServer);
      try {
        const page = await open({ base: proxy.url, serviceWorkers: 'allow' });
        await settled(page);
        await until(
          'the service worker controls the page',
          () =>
            page.evaluate(async () => {
              const registration = await navigator.serviceWorker.getRegistration();
              return registration?.active?.state === 'activated' && navigator.serviceWorker.controller !== null;
            }),
          60_000,
        );
        same(
          await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).scope),
          `${proxy.url}/`,
          'the scope of the service worker',
        );
        const cdp = await page.context().newCDPSession(page);
        const { url, errors, data } = await cdp.send('Page.getAppManifest');
        same([url, errors], [`${proxy.url}/manifest.webmanifest`, []], 'the manifest');
        const { start_url, scope, icons } = JSON.parse(data);
        for (const at of [start_url, scope]) same(new URL(at, url).href, `${proxy.url}/`, 'where the app starts');
        for (const { src } of icons) same((await fetch(new URL(src, url))).status, 200, src);
        await page.evaluate(() => localStorage.setItem('fermata.draft.new', '{"text":"of another server"}'));
        await page.reload();
        await settled(page);
        await go(page, '/chat');
        same(await page.locator('#message').inputValue(), '', 'a draft for the server at the root of the same host');
        await kill();
        await page.goto('about:blank');
        await page.goto(`${proxy.url}/#/data`);
        await page.locator('#root > *').first().waitFor({ state: 'attached' });
        await page.getByRole('navigation').first().waitFor();
        page.bad.length = 0; // the server is down
        none(proxy.outside, 'requested outside the path');
      } finally {
        proxy.close();
      }
    },
  },
  {
    name: 'below a path: sign-in by a key, and in French',
    async run({ freshServer, open }) {
      const { proxy, key } = {
        ...(await behind(freshServer, { env: { FERMATA_ROOT_KEY: rootKey }, key: rootKey })),
        key: rootKey,
      };
      try {
        const page = await open({ base: proxy.url, at: '/data', ...french });
        await page.getByLabel('Clé d’API').fill(key);
        await page.keyboard.press('Enter');
        await page.locator('#page-title').waitFor();
        same(new URL(page.url()).pathname, `${prefix}/`, 'the path after signing in');
        await page.reload();
        await page.locator('#page-title').waitFor();
        const cookies = await page.context().cookies();
        check(cookies.length > 0, 'no cookie was set');
        await becomes(() => page.evaluate(() => location.hash), '#/data', 'the address after signing in');
        none(proxy.outside, 'requested outside the path');
      } finally {
        proxy.close();
      }
    },
  },
];
