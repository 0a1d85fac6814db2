// Requirements for every list of the page: no layout shifts while it loads, and no write controls for readers
// without permission.
import { check, dark, french, narrow, none, same, signIn, tidy, until } from '../harness.mjs';
import { go } from '../screens.mjs';

const places = ['/automations', '/runs', '/data', '/usage', '/settings/calendar', '/system'];

async function furnish(call) {
  const zone = await call('POST', '/v1/zones', { name: 'Health' });
  const tool = await call('POST', '/v1/tools', { zone_id: zone.id, tool_type: 'tracking', name: 'Sleep', config: {} });
  for (let i = 0; i < 3; i++) await call('POST', `/v1/tools/${tool.id}/entries`, { data: { value: i + 6 } });
  const odd = `דוח שבועי ${'Nom'.repeat(60)}`.slice(0, 190);
  for (const name of ['Report', 'Shopping', odd])
    await call('POST', '/v1/automations', { name, seed: { text: 'what do I have' } });
  return { zone, tool };
}

// shifts returns the sum of a page's layout shifts since it was opened.
const shifts = (page) =>
  page.evaluate(
    () =>
      new Promise((done) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
        }).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => done(sum), 300);
      }),
  );

const read = (page) => until('it is read', async () => (await page.locator('main [data-loading]').count()) === 0);

export const steps = [
  {
    name: 'no list moves while it loads',
    async run({ open, call }) {
      const { tool } = await furnish(call);
      const jumped = [];
      for (const at of [...places, `/data/tools/${tool.id}`]) {
        const page = await open({ at });
        await page.getByRole('heading', { level: 1 }).waitFor();
        await read(page);
        const moved = await shifts(page);
        if (moved >= 0.05) jumped.push(`${at}: ${moved.toFixed(3)}`);
        await page.context().close();
      }
      none(jumped, 'these jump');
    },
  },
  {
    name: 'a reader without write permission sees no write controls',
    async run({ open, locked, shot }) {
      const { base, call } = await locked();
      const { zone, tool } = await furnish(call);
      const { key } = await call('POST', '/v1/keys', { name: 'guest', role: 'viewer' });
      const page = await open({ base });
      await signIn(page, key);
      const writes = /^(New|Create|Import|Delete|Edit|Add|Pause|Turn on|Run now|Run again|Settings$)/;
      const offered = [];
      for (const at of [
        '/automations',
        '/runs',
        '/data',
        `/data/zones/${zone.id}`,
        `/data/tools/${tool.id}`,
        '/data/types',
      ]) {
        await go(page, at);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await read(page);
        for (const name of await page.locator('main').getByRole('button').allInnerTexts())
          if (writes.test(name.trim())) offered.push(`${at}: ${name}`);
        if (await page.locator('main').getByRole('link', { name: 'New automation' }).count())
          offered.push(`${at}: new`);
      }
      none(offered, 'a viewer is offered');
      await shot(page, 'viewer');
      await go(page, '/settings');
      same(await page.locator('[data-section="you"]').count(), 1, 'the settings of a viewer are their own');
    },
  },
  {
    name: 'lists are tidy from 320 to 1440 px, in both themes and languages',
    async run({ open, call, shot }) {
      await furnish(call);
      for (const [look, options] of [
        ['320-dark-fr', { ...narrow, ...dark, ...french }],
        ['768-fr', { viewport: { width: 768, height: 900 }, ...french }],
        ['1440-dark', { viewport: { width: 1440, height: 900 }, ...dark }],
        ['1440', { viewport: { width: 1440, height: 900 } }],
      ]) {
        const page = await open(options);
        for (const at of places) {
          await go(page, at);
          await page.getByRole('heading', { level: 1 }).waitFor();
          await read(page);
          await tidy(page, `${at} ${look}`);
          await shot(page, `lists-${look}${at.replaceAll('/', '-')}`);
        }
        await page.context().close();
      }
    },
  },
];
