// Every screen with a bad connection: a proxy that responds 503, truncated or foreign responses, a slow line. The
// failure is shown once, in words, and everything recovers automatically.
import { check, Line, none, same, until } from '../harness.mjs';
import { furnishAll } from '../furnish.mjs';
import { settled, watchParts } from '../screens.mjs';

// In two parts, so that a step is short.
const [screens, corners] = ['every screen', 'every corner of the settings'];

let furnished;
const furnish = async (call) => (furnished ??= await furnishAll(call));
const named = (at) => at.replace(/_[0-9a-f]+/g, '').replaceAll('/', '-');

// Raw error texts that no screen may show.
const raw =
  /Failed to fetch|SyntaxError|TypeError|JSON at|<h1>|half an answer|went wrong in the page|\b(NaN|undefined)\b/;

// Opens the screen of an address.
const to = (page, at) =>
  page.evaluate(
    (where) =>
      new Promise((done) => {
        addEventListener('hashchange', () => queueMicrotask(done), { once: true });
        location.hash = where;
      }),
    at,
  );

// soon waits for what the page does after a pause, and shortens those pauses.
const soon = (page, what, ask) =>
  until(
    what,
    async () => {
      const answer = await ask();
      if (!answer) await page.clock.fastForward(1000);
      return answer;
    },
    30_000,
  );

// visits opens all addresses in several pages, each with a line of its own.
async function visits({ open, base, call }, which, pages, visit) {
  const left = (await furnish(call)).addresses.filter((at) => at.startsWith('/settings') === (which === corners));
  const wrong = [];
  await Promise.all(
    Array.from({ length: pages }, async () => {
      const line = await new Line(base).open();
      const page = await open({ base: line.url, at: '/settings/page' }); // which loads little
      const fetched = watchParts(page);
      await page.clock.install();
      await page.reload();
      await settled(page);
      // All screens are loaded: from then on the server only gets requests for data.
      await soon(page, 'the screens were fetched', fetched);
      for (let at = left.shift(); at; at = left.shift()) {
        await to(page, '/nowhere'); // a screen that loads nothing: requests of the previous one are not missing
        await settled(page);
        line.missing.clear();
        await visit(page, line, at).catch((error) => wrong.push(`${at}: ${error.message}`));
      }
      await page.context().close();
      line.close();
    }),
  );
  none(wrong, 'in bad weather');
}

const inMain = (page, what) => page.locator(`main :is(${what})`).filter({ visible: true });
const count = (page, what) => inMain(page, what).count();
const loading = (page) => page.locator('main [data-loading]').count();

// reported waits until all loads are done, and checks how the failure is shown.
async function reported(page) {
  await soon(page, 'loading has ended', async () => (await loading(page)) === 0);
  const boxes = await inMain(page, '[role="alert"]').allInnerTexts();
  check(boxes.length < 2, `the failure is shown ${boxes.length} times: ${boxes.join(' | ')}`);
  const said = await page.locator('main').innerText();
  check(!raw.test(said), `a raw error is shown: ${raw.exec(said)}`);
  check(
    boxes.every((text) => /can’t be reached.*by itself/s.test(text)),
    `the failure is shown as ${boxes}`,
  );
  check(boxes.length || !(await count(page, '[data-later]')), 'content is missing without a reason');
  return boxes.length > 0;
}

// well waits until everything missing was reloaded and is shown, without any action.
async function well(page, line) {
  await soon(page, 'no screen reports missing content', async () => {
    return (await loading(page)) === 0 && (await count(page, '[role="alert"], [data-later]')) === 0;
  });
  let looks = 0; // new content may load more
  await soon(page, 'everything is loaded again', () => (looks = line.missing.size ? 0 : looks + 1) > 3).catch((error) =>
    check(false, `${error.message}, but not ${[...line.missing].join(' ')}`),
  );
}

const proxy = (which) => ({
  name: `${which}, when a proxy responds 503: reported once in words, and recovers automatically`,
  async run(world) {
    let reports = 0; // the others show static content
    await visits(world, which, 4, async (page, line, at) => {
      line.set('503');
      await to(page, at);
      reports += await reported(page);
      await soon(page, 'the bar is shown', () => page.locator('#net.shown').isVisible());
      await world.shot(page, `weather-503${named(at)}`);
      line.set('open');
      await well(page, line);
    });
    check(reports > 1, `only ${reports} of them report the failure`);
  },
});

const half = (which) => ({
  name: `${which}, when responses are truncated or foreign: reported once in words, and recovers automatically`,
  async run(world) {
    let n = 0;
    await visits(world, which, 4, async (page, line, at) => {
      line.mode = ['half', 'torn', 'portal'][n++ % 3]; // the stream stays connected: nothing indicates when the failure is over
      await to(page, at);
      await reported(page);
      await world.shot(page, `weather-half${named(at)}`);
      line.mode = 'open';
      await well(page, line);
    });
  },
});

const slow = (which) => ({
  name: `${which} on a line of three seconds: loads without reporting an error`,
  async run(world) {
    await visits(world, which, 6, async (page, line, at) => {
      line.delay = 3000;
      await to(page, at);
      await until('content is shown', async () => (await page.locator('main').innerText()).trim() !== '', 2500);
      line.delay = 0;
      await until('it is loaded', async () => (await loading(page)) === 0);
      same(await inMain(page, '[role="alert"]').allInnerTexts(), [], 'errors shown');
    });
  },
});

// Twenty screens each: a few seconds per screen, and more on a busy machine.
const lasts = 300_000;
export const steps = [screens, corners].flatMap((which) =>
  [proxy, half, slow].map((weather) => ({ ...weather(which), lasts })),
);
