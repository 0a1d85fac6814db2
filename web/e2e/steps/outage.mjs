import { check, until } from '../harness.mjs';
import { settled } from '../screens.mjs';

const bar = (page) => page.locator('#net.shown');
const waits = (page) => page.getByRole('navigation').first().locator('.badge');

// seenBar notes from now on whether the bar was ever shown, and when first.
const watchBar = (page) =>
  page.evaluate(() => {
    globalThis.barSeen = null;
    new MutationObserver(() => {
      globalThis.barSeen ??= document.querySelector('#net.shown') ? Date.now() : null;
    }).observe(document.body, { subtree: true, attributes: true, childList: true });
  });
const barSeen = (page) => page.evaluate(() => globalThis.barSeen);

async function ask(call, name) {
  await call('PATCH', '/v1/settings', { require_validation: true });
  const { id } = await call('POST', '/v1/sessions', { type: 'CHAT', message: { text: `create a zone ${name}` } });
  await until('it asks', async () => (await call('GET', `/v1/approvals?status=open&session_id=${id}`)).data.length > 0);
  return id;
}

export const steps = [
  {
    name: 'a break of less than two seconds is not seen',
    async run({ open, line }) {
      const page = await open();
      await settled(page);
      for (const mode of ['cut', '503']) {
        await watchBar(page);
        line.set(mode);
        await page.waitForTimeout(500);
        line.set('open');
        const again = page.waitForResponse((r) => r.url().includes('/v1/events/stream') && r.ok());
        await again;
        check((await barSeen(page)) === null, `a short break (${mode}) was shown`);
      }
    },
  },
  {
    name: 'the server is killed with the page open, a proxy answers 503 meanwhile: a bar after two seconds, then all is live',
    async run({ open, line, call, server, shot }) {
      const page = await open({ at: '/approvals' });
      await settled(page);
      const session = await ask(call, 'Health');
      await until('the page knows what waits', async () =>
        /1/.test(
          await waits(page)
            .innerText({ timeout: 500 })
            .catch(() => ''),
        ),
      );
      await watchBar(page);
      const lost = Date.now();
      await server.kill();
      line.set('503');
      await bar(page).waitFor();
      const after = (await barSeen(page)) - lost;
      check(after >= 1900 && after < 6000, `the bar came after ${after} ms`);
      await shot(page, 'connection-lost');
      await server.start();
      line.set('open');
      await until('the bar goes', async () => !(await bar(page).isVisible()));
      await call('POST', `/v1/sessions/${session}/validation`, { approved: true });
      await until('what is settled after the restart is seen', async () => (await waits(page).count()) === 0);
      await ask(call, 'Garden');
      await until('what is asked after the restart is seen', async () => (await waits(page).count()) > 0);
    },
  },
  {
    name: 'a server of another version says so, and a reload takes it',
    async run({ open, line, call }) {
      const page = await open();
      await settled(page);
      await until('the page knows its version', () =>
        page.evaluate(() =>
          performance.getEntriesByType('resource').some((e) => e.name.endsWith('/version') && e.responseEnd > 0),
        ),
      );
      line.answers.set('/version', { ...(await call('GET', '/version')), version: '99.0.0' });
      line.set('cut');
      line.set('open');
      const again = page.getByRole('button', { name: 'Load again' });
      await again.waitFor();
      await again.click();
      await page.waitForLoadState('load');
      await settled(page);
      check((await again.count()) === 0, 'the bar is there after the reload');
    },
  },
];
