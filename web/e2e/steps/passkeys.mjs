// Sensitive actions are approved with a passkey, in a browser with a virtual authenticator.
import { check, dark, french, narrow, same, signIn, tidy, until } from '../harness.mjs';

// device gives a page a virtual authenticator that confirms every request.
async function device(page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, id: authenticatorId };
}

const waiting = async (call) => (await call('GET', '/v1/approvals?status=open&limit=200')).data;

// ask has the AI request a zone, and returns the approval.
async function ask(call, name) {
  const session = (await call('POST', '/v1/sessions', { name })).id;
  await call('POST', `/v1/sessions/${session}/messages`, { text: `create a zone ${name}` });
  return until(`${name} asks`, async () => (await waiting(call)).find((a) => a.session_id === session));
}

export const steps = [
  {
    name: 'a sensitive action is confirmed with an existing passkey, and with nothing else',
    async run({ open, freshServer, shot }) {
      const server = await freshServer({});
      const { call } = server;
      await call('POST', '/v1/providers', {
        name: 'Quick',
        kind: 'demo',
        is_default: true,
        config: { word_delay_ms: 0 },
      });
      await call('PATCH', '/v1/settings', { sensitive_commands: ['CREATE_ZONE'] });
      const base = server.base.replace('127.0.0.1', 'localhost');
      const asked = await ask(call, 'Cellar');
      const page = await open({ base, at: '/approvals' });
      const { cdp, id } = await device(page);
      const confirm = page.getByRole('button', { name: 'Confirm with passkey' });

      // There is no passkey yet: the page shows where to create one, and nothing is approved.
      await page.locator('[data-danger][data-seen]').waitFor(); // a press counts once the action has been visible
      await confirm.click();
      await page.locator('[data-code=passkey_required]').waitFor();
      await shot(page, 'passkey-none');
      same((await call('GET', `/v1/approvals/${asked.id}`)).status, 'open', 'without a passkey');

      await page.goto(`${base}/#/settings/you`);
      await page.getByLabel('Name of the passkey').fill('My phone');
      await page.getByRole('button', { name: 'Add a passkey' }).click();
      await page.locator('[data-passkey]', { hasText: 'My phone' }).waitFor();
      await tidy(page, 'the passkeys');
      await shot(page, 'passkeys');
      await page.emulateMedia(dark);
      await shot(page, 'passkeys-dark');

      await page.goto(`${base}/#/approvals`);
      await tidy(page, 'a sensitive action');
      await shot(page, 'passkey-card');
      same(
        await page.locator('[data-row]').getByRole('checkbox').count(),
        0,
        'several sensitive ones are approved at once',
      );

      // User verification fails on the device: nothing is decided.
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: false });
      await page.locator('[data-danger][data-seen]').waitFor();
      await confirm.click();
      await page.locator('[data-code=passkey_cancelled]').waitFor();
      same((await call('GET', `/v1/approvals/${asked.id}`)).status, 'open', 'unverified');
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: true });
      await confirm.click();
      const settled = await until('it is approved', async () => {
        const now = await call('GET', `/v1/approvals/${asked.id}`);
        return now.status === 'approved' && now;
      });
      check(settled.evidence.signed.includes(asked.id), `what was signed: ${settled.evidence.signed}`);
      await until('the zone is there', async () =>
        (await call('GET', '/v1/zones')).data.some((zone) => zone.name === 'Cellar'),
      );

      // A phone, in French: rejecting needs no passkey.
      const refused = await ask(call, 'Attic');
      const phone = await open({ base, at: '/approvals', ...narrow, ...french });
      await phone.locator('[data-row] button').first().click();
      await phone.getByRole('button', { name: 'Confirmer avec la clé d’accès' }).waitFor();
      await tidy(phone, 'a sensitive action on a phone');
      await shot(phone, 'passkey-phone');
      await call('POST', `/v1/approvals/${refused.id}`, { approved: false });
    },
  },
  {
    name: 'another person’s passkey is rejected: one person’s challenge cannot be signed by another’s device',
    async run({ open, locked, shot }) {
      const server = await locked();
      const { call } = server;
      await call('POST', '/v1/providers', {
        name: 'Quick',
        kind: 'demo',
        is_default: true,
        config: { word_delay_ms: 0 },
      });
      await call('PATCH', '/v1/settings', { sensitive_commands: ['CREATE_ZONE'] });
      const base = server.base.replace('127.0.0.1', 'localhost');
      // Each person has a browser, a key, and a passkey in their device.
      const arrives = async (name) => {
        const { key } = await call('POST', '/v1/keys', { name, role: 'member' });
        const page = await open({ base });
        await page.getByLabel('API key').waitFor();
        await signIn(page, key);
        const { cdp, id } = await device(page);
        await page.goto(`${base}/#/settings/you`);
        await page.getByLabel('Name of the passkey').fill(`${name}’s`);
        await page.getByRole('button', { name: 'Add a passkey' }).click();
        await page.locator('[data-passkey]', { hasText: name }).waitFor();
        const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId: id });
        return { page, cdp, id, own: credentials[0] };
      };
      const ada = await arrives('Ada');
      const grace = await arrives('Grace');
      const asked = await ask(call, 'Vault');
      const status = async () => (await call('GET', `/v1/approvals/${asked.id}`)).status;

      // Ada's device has only Grace's passkey.
      await ada.cdp.send('WebAuthn.removeCredential', { authenticatorId: ada.id, credentialId: ada.own.credentialId });
      await ada.cdp.send('WebAuthn.addCredential', { authenticatorId: ada.id, credential: grace.own });
      await ada.page.goto(`${base}/#/approvals/${asked.id}`);
      const confirm = ada.page.getByRole('button', { name: 'Confirm with passkey' });
      // A manipulated page could request that one: then the server decides.
      await ada.page.evaluate((known) => {
        const id = Uint8Array.from(atob(known), (c) => c.charCodeAt(0));
        const get = navigator.credentials.get.bind(navigator.credentials);
        navigator.credentials.get = ({ publicKey }) =>
          get({ publicKey: { ...publicKey, allowCredentials: [{ type: 'public-key', id }] } });
      }, grace.own.credentialId);
      await ada.page.locator('[data-danger][data-seen]').waitFor();
      await confirm.click();
      await ada.page.locator('[data-code=passkey_refused]').waitFor();
      await tidy(ada.page, 'another person’s passkey');
      await shot(ada.page, 'passkey-of-another');
      same(await status(), 'open', 'after the passkey of another');

      // Grace's own approval is accepted, in her own browser.
      await grace.page.goto(`${base}/#/approvals/${asked.id}`);
      await grace.page.locator('[data-danger][data-seen]').waitFor();
      await grace.page.getByRole('button', { name: 'Confirm with passkey' }).click();
      await until('Grace has approved', async () => (await status()) === 'approved');
    },
  },
];
