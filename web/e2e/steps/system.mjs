import { dark, french, narrow, same, tidy } from '../harness.mjs';

export const steps = [
  {
    name: 'the system screen shows the state, and counts violated invariants',
    async run({ open, call, shot }) {
      const page = await open({ at: '/system' });
      await page.locator('[data-ready="yes"]').waitFor();
      await page.locator('[data-well="true"]').getByText('All is well.').waitFor();
      const { node } = await call('GET', '/v1/admin/status');
      await page.locator(`[data-node="${node}"]`).getByText('running').waitFor();
      await page.getByText('All providers are reachable.').waitFor();
      await page.getByRole('button', { name: 'Run checks' }).click();
      await page.locator('[data-broken="0"]').waitFor();
      await tidy(page, 'system');
      await shot(page, 'system-light');
      const other = await open({ ...dark, ...narrow, ...french, at: '/system' });
      await other.locator('[data-ready="yes"]').waitFor();
      await other.locator(`[data-node="${node}"]`).waitFor();
      await tidy(other, 'system, dark, narrow, French');
      await shot(other, 'system-dark-narrow-fr');
    },
  },
  {
    name: 'the API documentation is readable and usable at /docs',
    async run({ open, shot }) {
      const page = await open();
      await page.goto(new URL('/docs', page.url()).href); // a separate page, not a screen
      await page.locator('#operations-tag-Data').click();
      const list = page.locator('#operations-Data-listZones');
      await list.click();
      await list.getByRole('button', { name: 'Try it out' }).click();
      await list.getByRole('button', { name: 'Execute' }).click();
      await list.locator('.live-responses-table .response-col_status').getByText('200').waitFor();
      await shot(page, 'docs-light');
      const other = await open({ ...dark, ...narrow });
      await other.goto(new URL('/docs#/Messages/sendMessage', other.url()).href);
      await other.locator('#operations-Messages-sendMessage .opblock-body').waitFor();
      await shot(other, 'docs-dark-narrow');
    },
  },
  {
    name: 'readers who are not administrators see why parts are missing',
    async run({ open, locked }) {
      const { base, call } = await locked();
      const { key } = await call('POST', '/v1/keys', { name: 'guest', role: 'viewer' });
      const page = await open({ base, at: '/system' });
      await page.getByLabel('API key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('Only administrators can see the rest').waitFor();
      same(await page.getByRole('button', { name: 'Run checks' }).count(), 0, 'what is not allowed is not offered');
      await page.locator('[data-ready="yes"]').waitFor();
    },
  },
];
