// Notifications: links sent from the card, recipients and hours of mail, webhooks with links.
import http from 'node:http';
import { becomes, check, dark, doTo, french, narrow, same, tidy, until } from '../harness.mjs';
import { settled } from '../screens.mjs';

// There is no mail server: recipients are tested here, not the mails.
export const env = (base) => ({
  FERMATA_SMTP_URL: 'smtp://127.0.0.1:9',
  FERMATA_MAIL_FROM: 'Fermata <fermata@example.org>',
  FERMATA_PUBLIC_URL: base,
});

// A push service, which accepts messages, or reports that the browser is gone.
async function pushService() {
  const got = [];
  const state = { status: 201 };
  const server = http.createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      got.push({ headers: request.headers, bytes: Buffer.concat(parts).length });
      response.writeHead(state.status).end();
    });
  });
  await new Promise((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  return {
    got,
    state,
    url: `http://127.0.0.1:${server.address().port}/send/abc`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

// A test browser cannot reach a push service: it subscribes at ours, with its own keys.
const subscribes = async ({ endpoint, refuse }) => {
  const base64url = (bytes) =>
    btoa(String.fromCharCode(...new Uint8Array(bytes)))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '');
  let subscription = null;
  PushManager.prototype.getSubscription = async () => subscription;
  PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
    globalThis.asked = { userVisibleOnly, key: applicationServerKey.length };
    if (refuse) throw new DOMException('no', refuse);
    const pair = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits']);
    const keys = {
      p256dh: base64url(await crypto.subtle.exportKey('raw', pair.publicKey)),
      auth: base64url(crypto.getRandomValues(new Uint8Array(16))),
    };
    subscription = {
      toJSON: () => ({ endpoint, expirationTime: null, keys }),
      unsubscribe: async () => {
        subscription = null;
        return true;
      },
    };
    return subscription;
  };
};

const phone = { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true };

// asked has a session request a zone, and returns its approval.
async function asked(call, name) {
  await call('POST', '/v1/providers', { name, kind: 'demo', is_default: true, config: { word_delay_ms: 0 } });
  await call('PATCH', '/v1/settings', { require_validation: true });
  const { id } = await call('POST', '/v1/sessions', { name });
  await call('POST', `/v1/sessions/${id}/messages`, { text: `create a zone ${name}` });
  return until(`${name} asks`, async () =>
    (await call('GET', `/v1/approvals?status=open&session_id=${id}`)).data.at(0),
  );
}

export const steps = [
  {
    name: 'a link is sent from the card, answered on a phone, and the card names its recipient',
    async run({ open, base, call, shot }) {
      const approval = await asked(call, 'Garden');
      const other = await open({ ...french, at: `/approvals/${approval.id}` });
      await other.getByRole('button', { name: 'Approuver', exact: true }).waitFor();
      const page = await open({ at: `/approvals/${approval.id}` });
      await settled(page);
      await page.getByRole('button', { name: 'Send a link…' }).click();
      await tidy(page, 'a link is asked for');
      await shot(page, 'link-ask');
      await page.getByLabel('Who it is for').fill('ada@example.org');
      await page.getByRole('button', { name: 'Make the link' }).click();
      await page.locator('[data-link-made]').waitFor();
      const url = await page.locator('[data-link]').innerText();
      check(/\/a\/[\w-]+/.test(new URL(url).pathname), `the link is ${url}`);
      await page.getByText(/Anyone with the link can answer this one/).waitFor();
      await tidy(page, 'a link that was made');
      await page.emulateMedia(dark);
      await tidy(page, 'a link that was made, dark', { colours: true });
      await shot(page, 'link-made-dark');
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Copy the link' }).click();
      await page.getByText('Copied', { exact: false }).first().waitFor();
      same(await page.evaluate(() => navigator.clipboard.readText()), url, 'what was copied');
      await page.keyboard.press('Escape');
      same((await call('GET', `/v1/approvals/${approval.id}`)).status, 'open', 'a link that was made decides nothing');

      const there = await open({ ...phone, base });
      await there.goto(url);
      await tidy(there, 'the page of a link on a phone');
      await shot(there, 'link-phone-360');
      const button = there.getByRole('button', { name: 'Approve' });
      const box = await button.boundingBox();
      check(box.height >= 44 && box.width >= 44, `the button is ${box.width} × ${box.height}`);
      await button.tap();
      await there.getByText(/Approved by the link sent to ada@example.org/).waitFor();

      const said = page.locator('[data-by="link:ada@example.org"]');
      await said.waitFor();
      check(/by link, sent to ada@example\.org/.test(await said.innerText()), `it shows ${await said.innerText()}`);
      await other
        .getByText(/par lien, envoyé à ada@example\.org/)
        .first()
        .waitFor();
    },
  },
  {
    name: 'a link is shared by the system if the browser can, and closing its sheet is no error',
    async run({ open, call, shot }) {
      const approval = await asked(call, 'Cellar');
      const page = await open({ ...phone, ...french });
      await page.addInitScript(() => {
        globalThis.shared = [];
        navigator.share = (what) => {
          globalThis.shared.push(what);
          return globalThis.shared.length > 1 ? Promise.reject(new DOMException('', 'AbortError')) : Promise.resolve();
        };
      });
      await page.goto(`${new URL(page.url()).origin}/#/approvals/${approval.id}`);
      await page.reload();
      await page.getByRole('button', { name: 'Envoyer un lien…' }).click();
      await page.getByRole('button', { name: 'Créer le lien' }).click();
      await page.getByRole('button', { name: 'Partager…' }).click();
      await page.getByRole('button', { name: 'Partager…' }).click();
      await becomes(() => page.evaluate(() => globalThis.shared.length), 2, 'what was shared');
      same(
        await page.evaluate(() => globalThis.shared[0].url),
        await page.locator('[data-link]').innerText(),
        'the link that was shared',
      );
      same(await page.locator('dialog .box.bad').count(), 0, 'errors');
      await tidy(page, 'a link on a phone, in French');
      await shot(page, 'link-made-phone-fr');
    },
  },
  {
    name: 'a reader who may only answer cannot send links',
    async run({ open, locked }) {
      const server = await locked();
      const made = await server.call('POST', '/v1/keys', { name: 'Member', role: 'member' });
      const approval = await asked(server.call, 'Attic');
      const page = await open({ base: server.base });
      await page.getByLabel('API key').fill(made.key);
      await page.keyboard.press('Enter');
      await page.locator('#page-title').waitFor();
      await page.goto(`${server.base}/#/approvals/${approval.id}`);
      await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
      await becomes(() => page.getByRole('button', { name: 'Send a link…' }).count(), 0, 'links for members');
    },
  },
  {
    name: 'mail recipients and hours: added, rejected at the field, quiet hours, and removed',
    async run({ open, call, shot }) {
      const page = await open({ at: '/settings/told' });
      const settings = async () => (await call('GET', '/v1/settings')).notifications;
      const add = page.getByLabel('Add an address');
      await add.fill('ada@example.org');
      await page.keyboard.press('Tab');
      await becomes(async () => (await settings()).mail_to, ['ada@example.org'], 'the address');
      await add.fill('invalid');
      await page.keyboard.press('Tab');
      const second = page.getByLabel('Address 2');
      await page.getByText(/no address like ada@example.org/).waitFor();
      same(await second.getAttribute('aria-invalid'), 'true', 'the field of the wrong one');
      same(await page.getByLabel('Address 1').getAttribute('aria-invalid'), null, 'the field of the good one');
      await tidy(page, 'a wrong address');
      await shot(page, 'notifications-wrong');
      await second.fill('grace@example.org');
      await page.keyboard.press('Tab');
      await becomes(async () => (await settings()).mail_to.length, 2, 'both addresses');

      await page.getByLabel('Quiet hours').check();
      await becomes(async () => (await settings()).quiet_hours, { from: '22:00', to: '07:00' }, 'quiet hours');
      const end = page.getByLabel('To', { exact: true });
      await end.fill('22:00');
      await end.blur(); // Tab moves from the hours to the minutes
      await page.getByText(/end at another time/).waitFor();
      await end.fill('06:30');
      await end.blur();
      await becomes(async () => (await settings()).quiet_hours?.to, '06:30', 'their end');
      await page.getByLabel('Include the details').check();
      await becomes(async () => (await settings()).show_content, true, 'the content');
      await tidy(page, 'notifications');
      await shot(page, 'notifications');
      const small = await open({ ...narrow, ...french, ...dark, at: '/settings/told' });
      await small.getByLabel('Heures calmes').waitFor();
      await tidy(small, 'notifications, on a phone in French');
      await shot(small, 'notifications-320-fr-dark');
      await small.context().close();

      await page.getByRole('button', { name: 'Remove ada@example.org' }).click();
      await becomes(async () => (await settings()).mail_to, ['grace@example.org'], 'one is taken away');
      await page.getByRole('button', { name: 'Undo' }).click();
      await becomes(async () => (await settings()).mail_to.length, 2, 'and comes back');
      await page.getByLabel('Quiet hours').uncheck();
      await becomes(async () => (await settings()).quiet_hours, null, 'no quiet hours');
    },
  },
  {
    name: 'a server without mail shows what its operator has to configure',
    async run({ open, freshServer, shot }) {
      const silent = await freshServer({});
      same((await silent.call('GET', '/v1/settings')).mail_off, 'no_server', 'why there is no mail');
      const page = await open({ base: silent.base, at: '/settings/told' });
      await page.getByText(/sends no mail/).waitFor();
      same(await page.getByLabel('Add an address').count(), 0, 'fields for addresses');
      await tidy(page, 'no mail');
      await shot(page, 'notifications-no-mail');
      await page.getByRole('searchbox').fill('quiet');
      await page.getByRole('link', { name: 'Quiet hours' }).click();
      await becomes(
        () => page.evaluate(() => document.activeElement?.getAttribute('type')),
        'checkbox',
        'what was searched has the focus',
      );
    },
  },
  {
    name: 'a webhook with links: enabled on creation, disabled and enabled in its row',
    async run({ open, call, freshServer, shot }) {
      const page = await open({ at: '/settings/webhooks' });
      await page.getByRole('button', { name: 'Add a webhook' }).click();
      await page.getByLabel(/^Address/).fill('http://127.0.0.1:9/fermata');
      await page.getByLabel('With a link to each approval').check();
      await tidy(page, 'a webhook with links');
      await shot(page, 'webhook-links');
      await page.getByRole('button', { name: 'Add a webhook' }).last().click();
      await page.getByRole('button', { name: 'I have copied it' }).click();
      const links = async () => (await call('GET', '/v1/webhooks')).data[0].links;
      same(await links(), true, 'the links of a new one');
      await page.locator('[data-links]').waitFor();
      await doTo(page.locator('[data-webhook]'), 'No links');
      await becomes(links, false, 'the links that were taken away');
      await doTo(page.locator('[data-webhook]'), 'Add links');
      await becomes(links, true, 'the links that were given back');

      const nameless = await freshServer({});
      const there = await open({ base: nameless.base, at: '/settings/webhooks' });
      await there.getByRole('button', { name: 'Add a webhook' }).click();
      await there.getByLabel(/^Address/).fill('http://127.0.0.1:9/fermata');
      const box = there.getByLabel('With a link to each approval');
      await box.check();
      await there.getByRole('button', { name: 'Add a webhook' }).last().click();
      await there
        .getByText(/FERMATA_PUBLIC_URL/)
        .first()
        .waitFor();
      same(await box.getAttribute('aria-invalid'), 'true', 'the field is marked invalid');
      await tidy(there, 'links that would lead nowhere');
    },
  },
  {
    name: 'notifications of a device: enabled, tested, listed, removed; approvals reach its push service',
    async run({ open, base, call, shot }) {
      const service = await pushService();
      try {
        const page = await open({ base, serviceWorkers: 'allow', permissions: ['notifications'] });
        await page.addInitScript(subscribes, { endpoint: service.url });
        await page.goto(`${base}/#/settings/told`);
        await page.reload();
        await page.getByText('No devices yet.').waitFor();
        await page.getByRole('button', { name: 'Notify me on this device' }).click();
        const device = page.locator('[data-device]');
        await device.getByText('this one').waitFor();
        same(
          await page.evaluate(() => globalThis.asked),
          { userVisibleOnly: true, key: 65 },
          'what the browser is asked',
        );
        await tidy(page, 'a device with notifications');
        await shot(page, 'device');
        await page.emulateMedia(dark);
        await tidy(page, 'a device with notifications, dark', { colours: true });
        await doTo(device, 'Test');
        await page.locator('[data-test=ok]').waitFor();
        same(service.got.length, 1, 'pushes after a test');
        check(/^vapid /.test(service.got[0].headers.authorization), 'it is signed by the server');
        await asked(call, 'Shed');
        await until('what is asked is pushed', () => service.got.length > 1);

        await page.reload();
        await device.getByText('this one').waitFor();
        const small = await open({ base, ...phone, ...french, at: '/settings/told' });
        await small.locator('[data-device]').waitFor();
        same(
          await small.locator('[data-device]').getByText('celui-ci').count(),
          0,
          'another browser takes it for itself',
        );
        await tidy(small, 'devices on a phone in French');
        await shot(small, 'device-360-fr');
        await small.context().close();

        service.state.status = 410;
        await doTo(device, 'Test');
        await page.locator('[data-test=failed]').waitFor();
        await page.reload();
        await page.getByText('No devices yet.').waitFor();
        service.state.status = 201;
        await page.getByRole('button', { name: 'Notify me on this device' }).click();
        await device.getByText('this one').waitFor();
        await page.getByRole('button', { name: 'Stop notifications on this device' }).click();
        await page.getByText('No devices yet.').waitFor();
        same((await call('GET', '/v1/me/push-subscriptions')).data, [], 'what the server knows');
        same(await page.evaluate(() => localStorage.getItem('fermata.push')), null, 'what the browser remembers');
      } finally {
        service.close();
      }
    },
  },
  {
    name: 'why a device cannot be notified is explained: blocked, no service, an iPhone, plain http, a server without an address',
    async run({ open, base, freshServer, shot }) {
      const at = `${base}/#/settings/told`;
      const go = async (options, script, given) => {
        const page = await open({ base, serviceWorkers: 'allow', ...options });
        await page.addInitScript(script, given);
        await page.goto(at);
        await page.reload();
        await page.locator('[data-able]').waitFor();
        return page;
      };
      const blocked = await go({}, () => {
        Object.defineProperty(Notification, 'permission', { get: () => 'denied' });
      });
      await blocked.getByText(/^Blocked\./).waitFor();
      await tidy(blocked, 'blocked');

      const away = await go({ permissions: ['notifications'] }, subscribes, { refuse: 'AbortError' });
      await away.getByRole('button', { name: 'Notify me on this device' }).click();
      await away.locator('[data-code=push_service]').waitFor();
      await tidy(away, 'no push service');

      const iphone = await go({ ...phone, userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)' }, () => {
        delete globalThis.PushManager;
      });
      await iphone.getByText(/add this page to the Home Screen first/).waitFor();
      await tidy(iphone, 'an iPhone');
      await shot(iphone, 'device-iphone');

      const plain = await go({}, () => {
        Object.defineProperty(globalThis, 'isSecureContext', { value: false });
      });
      await plain.getByText(/needs https/).waitFor();

      const nameless = await freshServer({});
      const there = await open({ base: nameless.base, at: '/settings/told' });
      await there.locator('[data-push-off]').waitFor();
      same(
        await there.getByRole('button', { name: 'Notify me on this device' }).count(),
        0,
        'what cannot be turned on',
      );
      await tidy(there, 'a server that sends no pushes');
    },
  },
];
