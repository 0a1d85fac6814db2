import http from 'node:http';
import { becomes, check, dark, doTo, french, narrow, same, tidy, until } from '../harness.mjs';

export const env = { FERMATA_ALLOWED_HOSTS: '127.0.0.0/8' };

// A vendor with one valid key and two models.
async function vendor(key) {
  const server = http.createServer((request, response) => {
    const say = (status, body) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (request.headers.authorization !== `Bearer ${key}`)
      return say(401, { error: { message: 'no such key', type: 'invalid_request_error', code: 'invalid_api_key' } });
    if (request.url.endsWith('/models')) return say(200, { object: 'list', data: [{ id: 'small' }, { id: 'large' }] });
    request.resume();
    request.on('end', () =>
      say(200, {
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: 'small',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Here I am.' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
      }),
    );
    return undefined;
  });
  await new Promise((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const setting = (page, at) => page.locator(`[data-setting="${at}"]`);
const source = (page, at) => setting(page, at).locator('[data-source]').getAttribute('data-source');

export const steps = [
  {
    name: 'every section is tidy, in both themes, narrow and in French',
    async run({ open, call, shot }) {
      const zone = await call('POST', '/v1/zones', { name: 'Health' });
      await call('POST', '/v1/tools', { zone_id: zone.id, tool_type: 'tracking', name: 'Sleep', config: {} });
      for (const look of [{}, { ...dark, ...narrow, ...french }]) {
        const page = await open({ ...look, at: '/settings' });
        for (const section of [
          'providers',
          'validation',
          'limits',
          'budgets',
          'automations',
          'network',
          'calendar',
          'prompts',
          'connectors',
          'agents',
          'keys',
          'webhooks',
          'page',
        ]) {
          await page.goto(`${page.url().split('#')[0]}#/settings/${section}`);
          await page.locator(`[data-section="${section}"] > :nth-child(2)`).waitFor();
          await becomes(
            () =>
              page
                .locator('main [role="status"]')
                .filter({ hasText: /Loading|Chargement/ })
                .count(),
            0,
            `${section} is read`,
          );
          await tidy(page, `${section} ${look.colorScheme ?? 'light'}`);
          await shot(page, `settings-${section}-${look.colorScheme ?? 'light'}`);
        }
        await page.context().close();
      }
    },
  },
  {
    name: 'the first real provider answers new chats, and the box shows it; a second one is offered as the default',
    async run({ freshServer, open, shot }) {
      const shop = await vendor('sk-right-key-0123456789');
      const { base, call } = await freshServer({ env });
      try {
        await call('POST', '/v1/providers', { name: 'Demo', kind: 'demo', is_default: true, config: {} });
        const page = await open({ base, at: '/settings/providers' });
        const add = async (name, key) => {
          await page.getByRole('button', { name: 'Add a provider' }).click();
          await page.getByLabel('Type').selectOption('openai_compatible');
          await page.getByLabel('Name', { exact: true }).fill(name);
          await page.getByLabel(/^Base URL/).fill(shop.url);
          await page.getByLabel(/^Model/).fill('small');
          await page.getByLabel(/^API key/).fill(key);
          await page.getByRole('button', { name: 'Save and test' }).click();
        };
        const chosen = async () => (await call('GET', '/v1/providers')).data.find((p) => p.is_default)?.name;
        await add('First', 'sk-wrong-key-0123456789');
        await page.locator('[data-test="provider_authentication"]').waitFor();
        same(await chosen(), 'Demo', 'the default after a failed test');
        await page.getByLabel(/^API key/).fill('sk-right-key-0123456789');
        await page.getByRole('button', { name: 'Save and test' }).click();
        const used = page.locator('[data-used=default]');
        await used.getByText('New chats use small.').waitFor();
        same(await chosen(), 'First', 'the default after a successful test');
        await tidy(page, 'a provider that answers new chats');
        await shot(page, 'settings-provider-used');
        await page.getByRole('button', { name: 'Close' }).click();

        await add('Second', 'sk-right-key-0123456789');
        await page.locator('[data-used=other]').getByText('New chats use another provider.').waitFor();
        same(await chosen(), 'First', 'a second one changes nothing by itself');
        await page.getByRole('button', { name: 'Use this one for new chats' }).click();
        await used.waitFor();
        same(await chosen(), 'Second', 'the chosen provider');
        await used.getByRole('link', { name: 'Start one' }).click();
        await page.getByRole('textbox', { name: 'Message' }).waitFor();
      } finally {
        shop.close();
      }
    },
  },
  {
    name: 'the actions that need a passkey are picked from a list, in words',
    async run({ freshServer, open, shot }) {
      const { base, call } = await freshServer();
      await call('PATCH', '/v1/settings', { sensitive_commands: ['BANK.PAY'] });
      const page = await open({ base, at: '/settings/validation' });
      const saved = async () => (await call('GET', '/v1/settings')).sensitive_commands;
      const list = page.getByRole('group', { name: 'Actions confirmed with a passkey' }).last();
      await list.getByRole('checkbox', { name: 'Delete zones' }).check();
      await becomes(saved, ['BANK.PAY', 'DELETE_ZONE'], 'what is saved');
      check(!/[A-Z]+_[A-Z]+/.test(await list.innerText()), 'the list has names of programs');
      await list.getByRole('checkbox', { name: /^BANK\.PAY/ }).click(); // of a deleted connector: its line is removed too
      await becomes(saved, ['DELETE_ZONE'], 'what is left');
      await tidy(page, 'the list of what a passkey confirms');
      await shot(page, 'settings-sensitive');
      await list.getByRole('checkbox', { name: 'Every action' }).check();
      await becomes(saved, ['DELETE_ZONE', '*'], 'every action');
      check(await list.getByRole('checkbox', { name: 'Add entries' }).isDisabled(), 'each of them is covered');
      for (const look of [{ ...narrow, ...dark }, french]) {
        const other = await open({ base, at: '/settings/validation', ...look });
        await other.locator('[data-setting="/sensitive_commands"] [data-command="*"]').waitFor();
        await tidy(other, 'the list, in another look');
        if (look === french) await other.getByRole('checkbox', { name: 'Supprimer des zones' }).waitFor();
      }
    },
  },
  {
    name: 'a wrong key of a provider is reported at its field, and the right one works',
    async run({ open, call, shot }) {
      const shop = await vendor('sk-right-key-0123456789');
      try {
        const page = await open({ at: '/settings/providers' });
        await page.getByRole('button', { name: 'Add a provider' }).click();
        await page.getByLabel('Type').selectOption('openai_compatible');
        await page.getByLabel('Name', { exact: true }).fill('Corner shop');
        await page.getByLabel(/^Base URL/).fill(shop.url);
        await page.getByLabel(/^Model/).fill('small');
        await page.getByLabel(/^API key/).fill('sk-wrong-key-0123456789');
        await page.getByRole('button', { name: 'Save and test' }).click();
        await page.locator('[data-test="provider_authentication"]').waitFor();
        await becomes(
          () => page.getByLabel(/^API key/).getAttribute('aria-invalid'),
          'true',
          'the key’s field is marked',
        );
        await page.getByText('The key was refused.').first().waitFor();
        await tidy(page, 'a provider with a wrong key');
        await shot(page, 'settings-provider-wrong-light');
        same(await page.getByLabel(/^API key/).inputValue(), '', 'a key is never shown again');
        await page.getByLabel(/^API key/).fill('sk-right-key-0123456789');
        await page.getByRole('button', { name: 'Save and test' }).click();
        await page.locator('[data-test="ok"]').waitFor();
        await page.getByLabel('Models it offers').selectOption('large');
        await page.getByRole('button', { name: 'Save and test' }).click();
        await until(
          'the model is stored',
          async () => (await call('GET', '/v1/providers')).data[0].config.model === 'large',
        );
        await page.locator('[data-test="ok"]').waitFor();
        await page.getByRole('button', { name: 'Close' }).click();
        await doTo(page.locator('[data-provider]'), 'Test');
        await page.locator('[data-provider] [data-test="ok"]').waitFor();
        const [{ id, config }] = (await call('GET', '/v1/providers')).data;
        check(config.api_key.includes('…'), 'the key is masked');
        await doTo(page.locator('[data-provider]'), 'Delete');
        await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
        await becomes(() => page.locator(`[data-provider="${id}"]`).count(), 0, 'it is gone');
      } finally {
        shop.close();
      }
    },
  },
  {
    name: 'a value is saved on blur, can be undone, and never overwrites a concurrent change',
    async run({ open, call, shot }) {
      const page = await open({ at: '/settings/limits' });
      const at = '/limits/chat/max_action_retries';
      const retries = async () => {
        const { limits } = await call('GET', '/v1/settings');
        return [limits.chat.max_action_retries, limits.automation.max_action_retries];
      };
      const before = (await retries())[0];
      // A concurrent change of another value: both are kept.
      await setting(page, at).getByRole('spinbutton').fill('4');
      same(await source(page, at), 'unsaved', 'it is not saved yet');
      await call('PATCH', '/v1/settings', { limits: { automation: { max_action_retries: 7 } } });
      await page.keyboard.press('Tab');
      await becomes(() => source(page, at), 'set', 'it is saved');
      same(await retries(), [4, 7], 'both are there');
      await tidy(page, 'a saved limit');
      await shot(page, 'settings-saved');
      await page.getByRole('button', { name: 'Undo' }).click();
      await becomes(async () => (await retries())[0], before, 'it is taken back');

      // The same value: nothing is overwritten before it was reviewed.
      await setting(page, at).getByRole('spinbutton').fill('5');
      await call('PATCH', '/v1/settings', { limits: { chat: { max_action_retries: 6 } } });
      await page.keyboard.press('Tab');
      await page.locator('[data-code="precondition_failed"]').waitFor();
      same((await retries())[0], 6, 'nothing was overwritten');
      await page.getByRole('button', { name: 'Reload' }).click();
      same(await setting(page, at).getByRole('spinbutton').inputValue(), '5', 'what was typed is kept');
      await page.getByRole('button', { name: 'Save' }).click();
      await becomes(async () => (await retries())[0], 5, 'it is saved');

      await page.getByRole('button', { name: 'Fill in strict limits' }).click();
      await until('the strict limits are saved', async () => {
        const { limits } = await call('GET', '/v1/settings');
        return limits.automation.max_autonomous_roundtrips === 20 && limits.chat.max_autonomous_roundtrips === 10;
      });

      await page.getByLabel('Search settings').fill('time zone');
      await page.locator('[data-found]').getByRole('link', { name: 'Time zone' }).click();
      await becomes(
        () => page.evaluate(() => document.activeElement?.tagName),
        'SELECT',
        'the focus is on the setting',
      );
      await setting(page, '/time_zone').getByRole('combobox').selectOption('Europe/Paris');
      await becomes(() => source(page, '/time_zone'), 'set', 'the zone is set here');
      await setting(page, '/time_zone').getByRole('button', { name: 'Reset to default' }).click();
      await becomes(() => source(page, '/time_zone'), 'default', 'and back');

      await page.goto(`${page.url().split('#')[0]}#/settings/automations`);
      const wait = setting(page, '/chat_eviction_after').getByRole('textbox');
      await wait.fill('soon');
      await page.keyboard.press('Tab');
      await becomes(() => wait.getAttribute('aria-invalid'), 'true', 'what is wrong is marked');
      same(await page.locator('main [data-code]').count(), 0, 'it is said once, at its field');
      await page.getByRole('button', { name: 'Discard' }).click();
      await becomes(() => source(page, '/chat_eviction_after'), 'default', 'as it was');
    },
  },
  {
    name: 'zones require approval if set so, and a part of the prompt is left out',
    async run({ open, call }) {
      const zone = await call('POST', '/v1/zones', { name: 'Careful' });
      const page = await open({ at: '/settings/validation' });
      await page.getByRole('checkbox', { name: 'Changes in Careful need approval' }).click();
      await until('the zone asks', async () => (await call('GET', `/v1/zones/${zone.id}`)).require_validation);
      await page.locator(`[data-id="${zone.id}"]`).getByText('needs approval', { exact: true }).waitFor();

      await page.goto(`${page.url().split('#')[0]}#/settings/prompts`);
      const chunk = page.locator('[data-chunk="periods"]');
      await chunk.locator('summary').click();
      await chunk.getByRole('button', { name: 'Leave out' }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await until(
        'it is left out',
        async () => (await call('GET', '/v1/prompt-chunks')).data.find((c) => c.name === 'periods').included === false,
      );
      await chunk.getByRole('button', { name: 'Reset to the original' }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await until(
        'it is back',
        async () => Object.keys((await call('GET', '/v1/settings')).prompt_chunks).length === 0,
      );
    },
  },
  {
    name: 'the first key is shown once, keeps its tab signed in, and can be revoked',
    async run({ open, freshServer, shot }) {
      const { base } = await freshServer();
      const page = await open({ base, at: '/settings/keys' });
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByText('Once there is a key').waitFor();
      await page.getByRole('dialog').getByLabel(/^Name/).fill('laptop');
      await tidy(page, 'making a key');
      await page.getByRole('dialog').getByRole('button', { name: 'Create a key' }).click();
      const key = await page.locator('[data-new-key]').textContent();
      check(/^fmt_/.test(key), 'a key is shown');
      await shot(page, 'settings-key-light');
      await page.getByRole('button', { name: 'I have copied it' }).click();
      await page.locator('[data-key]').getByText('laptop').waitFor();
      check(!(await page.locator('body').innerText()).includes(key), 'it is shown this once');
      same((await fetch(`${base}/v1/keys`)).status, 401, 'others need a key now');
      const as = (path) => fetch(base + path, { headers: { Authorization: `Bearer ${key}` } });
      same((await as('/v1/keys')).status, 200, 'the key works');
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByRole('dialog').getByLabel(/^Name/).fill('phone');
      await page.getByRole('dialog').getByLabel('Expires').fill('2099-01-01T00:00');
      await page.getByRole('dialog').getByRole('button', { name: 'Create a key' }).click();
      const other = await page.locator('[data-new-key]').textContent();
      const phone = (await (await as('/v1/keys')).json()).data.find((k) => k.name === 'phone');
      check(/^20(98|99)-/.test(phone.expires_at), 'it expires on the chosen date');
      await page.getByRole('button', { name: 'I have copied it' }).click();
      await page.getByRole('button', { name: 'Revoke the key phone' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await page.locator('[data-key]').filter({ hasText: 'phone' }).getByText('revoked').waitFor();
      same(
        (await fetch(`${base}/v1/keys`, { headers: { Authorization: `Bearer ${other}` } })).status,
        401,
        'it is refused now',
      );
    },
  },
];
