import { check, narrow, same, until } from '../harness.mjs';
import { settled, watchParts } from '../screens.mjs';

const bar = (page) => page.locator('#net.shown');
const waits = (page) => page.getByRole('navigation').first().locator('.badge');

// seenBar records whether the bar was ever shown, and when first.
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
    name: 'an interruption of less than two seconds is not shown',
    async run({ open, line }) {
      const page = await open();
      // The page's clock, which is paused during requests: a busy machine gets the same result.
      const under = new Set();
      const isStream = (r) => r.url().includes('/v1/events/stream');
      let streams = 0;
      page.on('request', (r) => isStream(r) && under.add(r));
      page.on('requestfailed', (r) => under.delete(r));
      page.on('response', (r) => {
        under.delete(r.request());
        if (isStream(r.request()) && r.ok()) streams++;
      });
      await page.clock.install();
      await page.reload();
      await settled(page);
      await until('it listens', () => streams > 0);
      await page.clock.pauseAt(await page.evaluate(() => Date.now() + 100));
      for (const mode of ['cut', '503']) {
        await page.clock.runFor(5000); // earlier failures are discarded
        await until('it listens', () => under.size === 0);
        await watchBar(page);
        const before = streams;
        line.set(mode);
        let passed = 0;
        for (; streams === before && passed < 1950; passed += 50) {
          await page.clock.runFor(50);
          if (passed === 500) line.set('open');
          await new Promise((done) => setTimeout(done, 60)); // its requests have been sent by then
          await until('what was asked is answered', () => under.size === 0);
        }
        check(streams > before, `it has not listened again within ${passed} ms`);
        check(passed > 500, 'it was away');
        await page.clock.runFor(3000);
        check((await barSeen(page)) === null, `a short break (${mode}) was shown`);
      }
    },
  },
  {
    name: 'the server is killed with the page open, a proxy responds 503 meanwhile: a bar after two seconds, then all is live',
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
      console.log(`      the bar came ${after} ms after the server was killed`);
      check(after >= 1900, `the bar came after ${after} ms`);
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
    name: 'a screen first opened while the server is unreachable loads automatically once it is back',
    async run({ open, line, shot }) {
      const page = await open();
      await page.addInitScript(() => {
        globalThis.requestIdleCallback = () => 0; // so that nothing was preloaded
      });
      await page.reload();
      await settled(page);
      line.set('503');
      await page.getByRole('navigation').getByRole('link', { name: 'Usage' }).click();
      await page.locator('[data-unloaded]').waitFor();
      await shot(page, 'outage-unloaded');
      line.set('open');
      await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
      await settled(page);
      page.bad = page.bad.filter((said) => !said.includes('Unloaded')); // React logs it too
    },
  },
  {
    name: 'screens that were never opened are loaded before the server becomes unreachable',
    async run({ open, line }) {
      const page = await open({ at: '/settings/page' });
      const fetched = watchParts(page);
      await page.reload(); // from here on all requests are seen
      await settled(page);
      await until('all screens were fetched', fetched);
      line.set('503');
      await page.getByRole('navigation').getByRole('link', { name: 'Usage' }).click();
      await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
      await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click();
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      same(await page.locator('[data-unloaded]').count(), 0, 'parts that are missing');
    },
  },
  {
    name: 'no network: the bar is shown at once, moves the page down, and disappears',
    async run({ open, shot }) {
      for (const size of [{ width: 1280, height: 800 }, narrow.viewport]) {
        const page = await open({ viewport: size, at: '/chat' });
        await page.clock.install();
        await page.reload();
        await settled(page);
        const top = (what) => page.locator(what).evaluate((e) => e.getBoundingClientRect().top);
        const before = await top('#main');
        // The clock is paused: the bar does not wait for it, except for the second until the page checks
        // again if a response was in flight when the network went down.
        await page.clock.pauseAt(await page.evaluate(() => Date.now() + 100));
        await page.context().setOffline(true);
        const offline = bar(page).getByText('You’re offline.');
        await offline.waitFor({ timeout: 3000 }).catch(() => page.clock.runFor(1000));
        await offline.waitFor();
        await page.clock.resume();
        const height = await bar(page).evaluate((e) => e.getBoundingClientRect().height);
        check(Math.abs((await top('#main')) - before - height) < 2, 'the page is pushed down by the bar');
        const foot = await page.locator('#message').evaluate((e) => e.getBoundingClientRect().bottom);
        check(foot <= size.height, `the message field is in the window: ${foot}`);
        await shot(page, `offline-${size.width}`);
        await page.context().setOffline(false);
        await until('the bar goes', async () => !(await bar(page).isVisible()));
        await page.context().close();
      }
    },
  },
  {
    name: 'another version of the server is announced, and a reload loads it',
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
      const again = page.getByRole('button', { name: 'Reload' });
      await again.waitFor();
      await again.click();
      await page.waitForLoadState('load');
      await settled(page);
      check((await again.count()) === 0, 'the bar is there after the reload');
    },
  },
];
