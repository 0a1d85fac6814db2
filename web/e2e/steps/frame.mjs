import { becomes, check, dark, french, light, narrow, noSideScroll, same, tidy, until } from '../harness.mjs';
import { go, screens, settled } from '../screens.mjs';

const budget = 150_000; // bytes over the wire until the first screen is there
const ground = { light: 'rgb(247, 247, 245)', dark: 'rgb(18, 21, 24)' };
const groundOf = (page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
const menu = (page) => page.getByRole('navigation').first();

// tabTo presses a key until the wanted element has the focus.
async function tabTo(page, key, target, what) {
  for (let presses = 0; presses < 80; presses++) {
    if (await target.evaluate((e) => e === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${what} cannot be reached by ${key}`);
}

// transfers counts the bytes on the wire, compressed and with headers, as the browser does.
async function transfers(page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  const sizes = new Map();
  const add = (id, bytes) => sizes.set(id, (sizes.get(id) ?? 0) + bytes);
  cdp.on('Network.responseReceived', ({ requestId, response }) => add(requestId, response.encodedDataLength));
  cdp.on('Network.dataReceived', ({ requestId, encodedDataLength }) => add(requestId, encodedDataLength));
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => sizes.set(requestId, encodedDataLength));
  return () => [...sizes.values()].reduce((a, b) => a + b, 0);
}

export const steps = [
  {
    name: 'no name in the bar of a phone is truncated, in either language',
    async run({ open, shot }) {
      for (const language of [{}, french]) {
        const page = await open({ ...narrow, ...language, at: '/approvals' });
        await settled(page);
        const cut = page.locator('nav .nav-name:visible');
        same(
          await cut.evaluateAll((all) =>
            all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText),
          ),
          [],
          'names that are cut',
        );
        await shot(page, `bar-${language.locale ?? 'en'}`);
      }
    },
  },
  {
    name: 'the first screen of an empty server: 150 kB at most, from this server alone, under its policy',
    async run({ open, base }) {
      const page = await open({ base: 'about:blank' });
      // What is loaded when the page is idle is not needed for the first screen.
      await page.addInitScript(() => {
        globalThis.requestIdleCallback = () => 0;
      });
      const sum = await transfers(page);
      page.bad.length = 0; // about:blank is not our host
      const response = await page.goto(base);
      await settled(page);
      await page.waitForLoadState('load');
      check(sum() > 20_000, `only ${sum()} bytes were counted`);
      check(sum() <= budget, `the first screen takes ${sum()} bytes`);
      console.log(`      the first screen takes ${Math.round(sum() / 1000)} kB`);
      const policy = response.headers()['content-security-policy'];
      check(
        /default-src 'none'/.test(policy) &&
          /script-src 'self'(;|$)/.test(policy) &&
          !/unsafe|https?:|\*|data:/.test(policy),
        `the policy is ${policy}`,
      );
      same(await page.locator('[data-reactroot], script:not([src])').count(), 0, 'inline scripts');
      page.bad = page.bad.filter((bad) => !bad.includes(base)); // it was opened as about:blank
    },
  },
  {
    name: 'nothing flashes: theme and language are set before the bundle runs',
    async run({ browser, base }) {
      for (const [system, stored, want] of [
        ['dark', null, 'dark'],
        ['light', null, 'light'],
        ['light', 'dark', 'dark'],
        ['dark', 'light', 'light'],
      ]) {
        const context = await browser.newContext({ colorScheme: system, locale: 'en-GB' });
        await context.addInitScript((theme) => {
          if (theme) localStorage.setItem('fermata.theme', theme);
          localStorage.setItem('fermata.lang', 'fr');
        }, stored);
        const page = await context.newPage();
        page.bad = [];
        page.log = [];
        let go;
        const held = new Promise((done) => {
          go = done;
        });
        await page.route('**/assets/*.js', async (route) => {
          await held;
          await route.continue();
        });
        await page.goto(base, { waitUntil: 'commit' });
        const what = `system ${system}, stored ${stored}`;
        await becomes(() => groundOf(page), ground[want], `${what}: the ground before the bundle`);
        same(await page.locator('#root > *').count(), 0, 'what the bundle has made');
        same(await page.evaluate(() => document.documentElement.lang), 'fr', `${what}: the language before the bundle`);
        go();
        await settled(page);
        same(await groundOf(page), ground[want], `${what}: the ground after the bundle`);
        await context.close();
      }
    },
  },
  {
    name: 'every screen from the menu by keyboard; the focus moves to its title; the skip link',
    async run({ open }) {
      for (const look of [{}, narrow]) {
        const page = await open(look);
        await settled(page);
        for (const { at, en } of [...screens.slice(1), screens[0]]) {
          const hidden = look === narrow && !['Home', 'Chat', 'Approvals'].includes(en);
          if (hidden) {
            await tabTo(page, 'Shift+Tab', page.getByRole('button', { name: 'More' }), 'more');
            await page.keyboard.press('Enter');
          }
          const link = (hidden ? page.getByRole('dialog') : menu(page)).getByRole('link', {
            name: new RegExp(`^${en}\\b`),
          });
          await tabTo(page, hidden ? 'Tab' : 'Shift+Tab', link, en);
          await page.keyboard.press('Enter');
          await settled(page);
          same(new URL(page.url()).hash, `#${at}`, 'the address');
          await becomes(
            () => page.evaluate(() => document.activeElement?.closest('main') !== null),
            true,
            `${en}: the focus is in the screen`,
          );
          if (!hidden)
            await until(
              `${en} is marked as the present one`,
              async () => (await link.getAttribute('aria-current')) === 'page',
              3000,
            );
          same(await page.getByRole('dialog').count(), 0, 'nothing lies over the screen');
        }
        await go(page, '/usage'); // Home may have focused its field
        await page.reload();
        await settled(page);
        await page.keyboard.press('Tab');
        same(await page.evaluate(() => document.activeElement.className), 'skip', 'the first stop');
        await page.keyboard.press('Enter');
        await becomes(() => page.evaluate(() => document.activeElement.id), 'main', 'the focus after the skip link');
        await go(page, '/chat');
        await page.locator('.skip').focus();
        await page.keyboard.press('Enter');
        await becomes(() => page.evaluate(() => document.activeElement.id), 'message', 'in Chat it leads to the field');
        await page.context().close();
      }
    },
  },
  {
    name: 'English and French: detected from the browser, changed by hand, stored; every screen has its texts',
    async run({ open }) {
      const page = await open(french);
      for (const { at, fr } of screens) {
        await go(page, at);
        await until(
          `the menu says ${fr}`,
          () =>
            menu(page)
              .getByRole('link', { name: new RegExp(`^${fr}`) })
              .isVisible(),
          5000,
        );
        const keys = (await page.locator('body').innerText()).match(/^[a-z]+(\.[a-zA-Z_]+)+$/gm);
        same(keys, null, `${at}: keys in the place of texts`);
        await noSideScroll(page, `${at} in French`);
      }
      await go(page, '/settings/page');
      await page.getByLabel(/^Langue/).selectOption('en');
      await becomes(() => page.evaluate(() => document.documentElement.lang), 'en', 'the language after the switch');
      await page.reload();
      await until('English is kept', () => menu(page).getByRole('link', { name: 'Home' }).isVisible(), 5000);
      same(await page.evaluate(() => document.documentElement.lang), 'en', 'the language after a reload');
      const other = await open({ locale: 'de-DE' });
      await settled(other);
      same(await other.evaluate(() => document.documentElement.lang), 'en', 'the language for a German browser');
    },
  },
  {
    name: 'the theme follows the system until it is chosen, and the choice is stored',
    async run({ open }) {
      const page = await open(dark);
      await settled(page);
      await becomes(() => groundOf(page), ground.dark, 'the ground on a dark system');
      await page.emulateMedia({ colorScheme: 'light' });
      await becomes(() => groundOf(page), ground.light, 'the ground after the system changed');
      await go(page, '/settings/page');
      await page.getByLabel('Theme').selectOption('dark');
      await becomes(() => groundOf(page), ground.dark, 'the ground that was chosen');
      await page.reload();
      await settled(page);
      same(await groundOf(page), ground.dark, 'the ground after a reload');
      await page.getByLabel('Theme').selectOption('system');
      await becomes(() => groundOf(page), ground.light, 'the ground of the system again');
    },
  },
  {
    name: 'an unknown address shows a note with a link to Home',
    async run({ open }) {
      const page = await open({ at: '/nonsense/of/mine' });
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      await tidy(page, 'an unknown address');
      await page.getByRole('link', { name: 'Go to Home' }).click();
      await page.locator('#page-title').waitFor();
    },
  },
  {
    name: 'a server that requires a key: a wrong one, the right one, kept over a reload, signed out',
    async run({ open, locked, shot }) {
      const server = await locked();
      const page = await open({ base: server.base });
      const field = page.getByLabel('API key');
      await field.waitFor();
      await page.waitForLoadState('networkidle');
      const before = () => page.log.filter((line) => /^\d{3}: /.test(line));
      same(before().length <= 1, true, `what failed before anybody had signed in:\n${before().join('\n')}`);
      await page.reload();
      await field.waitFor();
      await page.waitForLoadState('networkidle');
      same(before().length <= 2, true, `and with one more load:\n${before().join('\n')}`);
      for (const look of [light, dark]) {
        await page.emulateMedia(look);
        await tidy(page, `sign-in ${look.colorScheme}`, { colours: look === dark });
        await shot(page, `signin-${look.colorScheme}`);
      }
      await field.fill('wrong');
      await page.keyboard.press('Enter');
      await page.getByText('That key isn’t valid.').waitFor();
      check((await field.getAttribute('aria-invalid')) === 'true', 'the field is not marked as wrong');
      await tidy(page, 'a wrong key');
      await field.fill(server.key);
      await page.keyboard.press('Enter');
      await page.locator('#page-title').waitFor();
      await page.reload();
      await page.locator('#page-title').waitFor();
      await server.call('PATCH', '/v1/settings', { require_validation: true });
      await server.call('POST', '/v1/sessions', { type: 'CHAT', message: { text: 'create a zone Health' } });
      await menu(page).getByText('1 approval waiting').waitFor({ state: 'attached' }); // the stream is connected, by a ticket
      await page.getByRole('button', { name: 'Sign out' }).click();
      await field.waitFor();
    },
  },
  {
    name: 'a reader of several workspaces chooses one, in all tabs, and returns to their own when it is deleted',
    async run({ freshServer, browser, shot }) {
      const server = await freshServer();
      await server.call('POST', '/v1/workspaces', { id: 'second', name: 'Second' });
      const context = await browser.newContext({ locale: 'en-GB' });
      const [page, other] = [await context.newPage(), await context.newPage()];
      for (const tab of [page, other]) {
        tab.bad = [];
        await tab.goto(`${server.base}/#/data`);
        await settled(tab);
      }
      const chooser = (tab) => tab.getByRole('combobox', { name: 'Workspace' });
      await tidy(page, 'a chooser of workspaces');
      await chooser(page).selectOption({ label: 'Second' });
      for (const tab of [page, other])
        await becomes(() => chooser(tab).evaluate((e) => e.selectedOptions[0]?.label), 'Second', 'both tabs show it');
      await go(page, '/data');
      const inSecond = (method, path, body) => server.call(method, path, body, { 'Fermata-Workspace': 'second' });
      await inSecond('POST', '/v1/zones', { name: 'Only there' });
      await page.getByRole('link', { name: 'Only there' }).first().waitFor(); // it arrives by the stream
      same((await server.call('GET', '/v1/zones')).data.length, 0, 'zones of the first one');
      await shot(page, 'workspace');
      await page.evaluate(() => localStorage.setItem('fermata.workspace', 'gone'));
      await page.reload();
      await becomes(
        () =>
          chooser(page)
            .evaluate((e) => e.value)
            .catch(() => ''),
        'default',
        'a workspace that is gone leads back',
      );
    },
  },
  {
    name: 'the menu folds to icons, which have names and tooltips, and stays folded',
    async run({ open, shot }) {
      const page = await open({ at: '/usage' });
      await settled(page);
      const width = () => menu(page).evaluate((e) => e.getBoundingClientRect().width);
      same(await width(), 200, 'the menu');
      await shot(page, 'menu-open');
      await page.getByRole('button', { name: 'Collapse menu' }).click();
      same(await width(), 56, 'the folded menu');
      same(await menu(page).getByRole('link', { name: 'Data' }).getAttribute('title'), 'Data', 'the tooltip');
      await tidy(page, 'a folded menu');
      await shot(page, 'menu-folded');
      await page.reload();
      await settled(page);
      same(await width(), 56, 'it stays folded');
      await page.getByRole('button', { name: 'Expand menu' }).click();
      same(await width(), 200, 'the menu again');
    },
  },
  {
    name: 'on a tablet the menu is folded until it is unfolded, and follows the window',
    async run({ open, shot }) {
      const page = await open({ at: '/usage', viewport: { width: 768, height: 1024 } });
      await settled(page);
      const width = () => menu(page).evaluate((e) => e.getBoundingClientRect().width);
      same(await width(), 56, 'the menu of a tablet');
      await tidy(page, 'a tablet');
      await shot(page, 'menu-tablet');
      await page.setViewportSize({ width: 1280, height: 800 });
      await becomes(width, 200, 'the menu, when there is room');
      await page.setViewportSize({ width: 768, height: 1024 });
      await becomes(width, 56, 'the menu, when there is little');
      await page.getByRole('button', { name: 'Expand menu' }).click();
      await page.reload();
      await settled(page);
      same(await width(), 200, 'it stays as it was chosen');
      await page.getByRole('button', { name: 'Collapse menu' }).click();
      same(await width(), 56, 'the folded menu');
    },
  },
  {
    name: 'a phone has the screens in a bar, and the rest behind More',
    async run({ open, shot }) {
      for (const look of [narrow, { ...narrow, ...french, ...dark }]) {
        const page = await open({ ...look, at: '/usage' });
        await settled(page);
        const bar = menu(page);
        const box = await bar.boundingBox();
        same(Math.round(box.y + box.height), narrow.viewport.height, 'the bar is at the bottom');
        same(await bar.getByRole('link').count(), 3, 'three screens');
        await bar.getByRole('button').click();
        await page.getByRole('dialog').getByRole('link').first().waitFor();
        await tidy(page, 'more screens');
        await shot(page, `menu-more-${look.locale ?? 'en'}`);
        await page.context().close();
      }
    },
  },
];
