// Every screen in bad weather: a proxy that answers 503, answers that end in the middle or are a page, a slow line.
// What happened is told once and in words, and all comes by itself when it is over.
import { check, Line, none, same, until } from '../harness.mjs';
import { furnishAll } from '../furnish.mjs';
import { settled, watchParts } from '../screens.mjs';

// In two parts, so that a step does not last long.
const [screens, corners] = ['every screen', 'every corner of the settings'];

let furnished;
const furnish = async (call) => (furnished ??= await furnishAll(call));
const named = (at) => at.replace(/_[0-9a-f]+/g, '').replaceAll('/', '-');

// What a screen says when something went wrong that nobody can read.
const raw =
  /Failed to fetch|SyntaxError|TypeError|JSON at|<h1>|half an answer|went wrong in the page|\b(NaN|undefined)\b/;

// The screen of an address, begun.
const to = (page, at) =>
  page.evaluate(
    (where) =>
      new Promise((done) => {
        addEventListener('hashchange', () => queueMicrotask(done), { once: true });
        location.hash = where;
      }),
    at,
  );

// soon waits for what comes after a pause of the page's own, and makes those pauses short.
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

// visits has several pages, each with a line of its own, go to all addresses, each to the next one that is left.
async function visits({ open, base, call }, which, pages, visit) {
  const left = (await furnish(call)).addresses.filter((at) => at.startsWith('/settings') === (which === corners));
  const wrong = [];
  await Promise.all(
    Array.from({ length: pages }, async () => {
      const line = await new Line(base).open();
      const page = await open({ base: line.url, at: '/settings/page' }); // which reads little
      const fetched = watchParts(page);
      await page.clock.install();
      await page.reload();
      await settled(page);
      // All screens are there: only what they read is wanted of the server from then on.
      await soon(page, 'the screens were fetched', fetched);
      for (let at = left.shift(); at; at = left.shift()) {
        await to(page, '/nowhere'); // a screen that reads nothing: what the last one still asked for is not missing
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

// told waits until nothing is being read any more, and looks at what is said of it.
async function told(page) {
  await soon(page, 'reading has ended', async () => (await loading(page)) === 0);
  const boxes = await inMain(page, '[role="alert"]').allInnerTexts();
  check(boxes.length < 2, `it is told ${boxes.length} times: ${boxes.join(' | ')}`);
  const said = await page.locator('main').innerText();
  check(!raw.test(said), `it is not told in words of people: ${raw.exec(said)}`);
  check(
    boxes.every((text) => /can’t be reached.*by itself/s.test(text)),
    `it is told as ${boxes}`,
  );
  check(boxes.length || !(await count(page, '[data-later]')), 'something is missing, and nobody says why');
  return boxes.length > 0;
}

// well waits until all that was missing was asked for again and is there, without anybody's help.
async function well(page, line) {
  await soon(page, 'no screen says that something is missing', async () => {
    return (await loading(page)) === 0 && (await count(page, '[role="alert"], [data-later]')) === 0;
  });
  let looks = 0; // what is shown may read more
  await soon(page, 'all is read again', () => (looks = line.missing.size ? 0 : looks + 1) > 3).catch((error) =>
    check(false, `${error.message}, but not ${[...line.missing].join(' ')}`),
  );
}

const proxy = (which) => ({
  name: `${which}, when a proxy answers 503: told once in words, and all comes by itself`,
  async run(world) {
    let telling = 0; // the others know what they show
    await visits(world, which, 4, async (page, line, at) => {
      line.set('503');
      await to(page, at);
      telling += await told(page);
      await soon(page, 'the bar is shown', () => page.locator('#net.shown').isVisible());
      await world.shot(page, `weather-503${named(at)}`);
      line.set('open');
      await well(page, line);
    });
    check(telling > 1, `only ${telling} of them say something`);
  },
});

const half = (which) => ({
  name: `${which}, when answers end in the middle or are another’s page: told once in words, and it is whole by itself`,
  async run(world) {
    let n = 0;
    await visits(world, which, 4, async (page, line, at) => {
      line.mode = ['half', 'torn', 'portal'][n++ % 3]; // the stream goes on: nothing says when it is over
      await to(page, at);
      await told(page);
      await world.shot(page, `weather-half${named(at)}`);
      line.mode = 'open';
      await well(page, line);
    });
  },
});

const slow = (which) => ({
  name: `${which} on a line of three seconds: it is there at once, and nothing is told as wrong`,
  async run(world) {
    await visits(world, which, 6, async (page, line, at) => {
      line.delay = 3000;
      await to(page, at);
      await until('something is there', async () => (await page.locator('main').innerText()).trim() !== '', 2500);
      line.delay = 0;
      await until('it is read', async () => (await loading(page)) === 0);
      same(await inMain(page, '[role="alert"]').allInnerTexts(), [], 'what is told as wrong');
    });
  },
});

// Twenty screens each: a few seconds of waiting for each, and more on a machine with other work.
const lasts = 300_000;
export const steps = [screens, corners].flatMap((which) =>
  [proxy, half, slow].map((weather) => ({ ...weather(which), lasts })),
);
