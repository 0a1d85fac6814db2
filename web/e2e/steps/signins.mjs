import { becomes, check, same, tidy, until } from '../harness.mjs';
import { guarded } from '../outside.mjs';

export const steps = [
  {
    name: 'a person signs in to a connector, in the browser that started it and in no other',
    async run({ open, call, shot }) {
      const there = await guarded();
      try {
        const made = await call('POST', '/v1/connectors', {
          name: 'Vault',
          kind: 'mcp',
          prefix: 'VAULT',
          config: { url: `${there.url}/mcp`, auth: 'oauth', client_id: 'fermata' },
        });
        const page = await open({ at: `/settings/connectors/${made.id}` });
        await page.locator('[data-state="needs_sign_in"]').waitFor();
        await page.locator('[data-sign-in]').getByRole('button', { name: 'Sign in' }).click();
        const link = page.locator('[data-sign-in]').getByRole('link', { name: /^Continue at 127\.0\.0\.1/ });
        await link.waitFor();
        await tidy(page, 'the way to a sign-in');
        await shot(page, 'connectors-sign-in-link');
        const address = await link.getAttribute('href');
        check(new URL(address).searchParams.get('state').startsWith('browser-'), 'it is for this browser');

        const other = await open({ at: '/' }); // a separate context, and so a separate browser
        await other.goto(address);
        await other.getByRole('link', { name: 'Agree' }).click();
        await other.getByText('This sign-in is over').waitFor();
        same(
          (await call('GET', `/v1/connectors/${made.id}`)).status,
          'needs_sign_in',
          'another browser changes nothing',
        );
        await other.context().close();

        const [agrees] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
        await agrees.getByRole('link', { name: 'Agree' }).click();
        await agrees.getByText('You are signed in to Vault').waitFor();
        await agrees.close();
        await until('it is ready', async () => (await call('GET', `/v1/connectors/${made.id}`)).status === 'ready');
        await page.reload();
        await becomes(
          () => page.locator('[data-state]').first().getAttribute('data-state'),
          'ready',
          'the page says so',
        );
        await page.locator('[data-command="OPEN"]').waitFor();
        await call('DELETE', `/v1/connectors/${made.id}`);
      } finally {
        there.close();
      }
    },
  },
];
