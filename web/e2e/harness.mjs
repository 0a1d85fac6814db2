// What the steps stand on: a server of their own, a browser, a line between the two that
// can be cut, the API, and checks that say what was wrong.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

export { Line } from './line.mjs';
export { server } from './server.mjs';

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

export const launch = (more = []) =>
  chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: [...flags, ...more] });

// Ways to look at a page, for open: `open({ ...dark, ...narrow })`.
export const dark = { colorScheme: 'dark' };
export const light = { colorScheme: 'light' };
export const narrow = { viewport: { width: 320, height: 640 } };
export const french = { locale: 'fr-FR' };

// api calls a server without a browser. What is no 2xx is thrown.
export function api(base, headers = {}) {
  return async (method, path, body, more = {}) => {
    const response = await fetch(base + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers, ...more },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text && /json/.test(response.headers.get('Content-Type')) ? JSON.parse(text) : text || null;
  };
}

export function check(truth, what) {
  if (!truth) throw new Error(what);
}

export function same(got, want, what) {
  if (JSON.stringify(got) !== JSON.stringify(want))
    throw new Error(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
}

// Words that a French line has not.
const words =
  /(?<![\p{L}_-])(the|and|of|is|are|was|were|this|that|these|those|with|from|you|your|not|it|its|to|for|be|been|has|have|had|which|what|when|where|nothing|done|each|every|only|there|run|ran|failed|needs?|before|after|yes)(?![\p{L}_-])/iu;

// english gives the lines of a text that has to be French and is not: by its words, or its quotation marks.
export const english = (text) => text.split('\n').filter((line) => words.test(line) || line.includes('“'));

export const none = (wrong, what) => check(wrong.length === 0, `${what}:\n${wrong.join('\n')}`);

// until asks again and again until the answer is true, and gives it.
export async function until(what, ask, ms = 15000) {
  const end = Date.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`it did not come to this: ${what}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}

// doTo opens the menu of a row and does what is named in it.
export async function doTo(row, what) {
  await row.getByRole('button', { name: /^Actions/ }).click();
  await row
    .getByRole('group', { name: /^Actions/ })
    .getByText(what, { exact: true })
    .click();
}

// becomes waits until what a page shows is what is wanted: pages take their time.
export async function becomes(read, want, what) {
  let got;
  await until(what, async () => JSON.stringify((got = await read())) === JSON.stringify(want), 5000).catch(() =>
    same(got, want, what),
  );
}

// open makes a page and watches what it must not do: ask other hosts, break its own
// policy, throw. `at` is an address of the page, e.g. "/chat". Without its worker, so that each
// request is seen; steps/installed.mjs is about that.
export async function open(browser, base, { at = '/', ...options } = {}) {
  const context = await browser.newContext({
    locale: 'en-GB',
    viewport: { width: 1280, height: 800 },
    serviceWorkers: 'block',
    ...options,
  });
  watch(context, base);
  const page = await context.newPage();
  await page.goto(at === '/' ? base : `${base}/#${at}`);
  return page;
}

// watch keeps in page.bad what a page did that it must not, in page.log what it said.
function watch(context, base) {
  context.on('page', (page) => {
    page.bad = [];
    page.log = [];
    const note = (text, bad) => {
      page.log.push(text);
      if (bad) page.bad.push(text);
    };
    page.on('pageerror', (e) => note(`thrown: ${e.stack ?? e.message}`, true));
    page.on('console', (m) =>
      note(`console ${m.type()}: ${m.text()}`, m.type() === 'error' && !/Failed to load resource|ERR_/.test(m.text())),
    );
    page.on('request', (r) => {
      if (new URL(r.url()).origin !== new URL(base).origin) note(`asked another host: ${r.url()}`, true);
    });
    page.on('requestfailed', (r) => note(`no answer: ${r.method()} ${r.url()} ${r.failure()?.errorText}`));
    page.on('response', (r) => {
      if (r.status() >= 400) note(`${r.status()}: ${r.request().method()} ${r.url()}`);
    });
  });
}

// signIn types a key for a page, whose browser has a cookie then.
export async function signIn(page, key) {
  const status = await page.evaluate(
    async (typed) =>
      (
        await fetch('/v1/sign-in', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ key: typed }),
        })
      ).status,
    key,
  );
  check(status === 200, `signing in with a key: ${status}`);
  await page.reload();
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// axe gives what breaks WCAG 2.2 AA or good practice on the page as it is now, a line for each element.
// It is evaluated, not loaded: the page's policy lets no foreign script in.
export async function axe(page) {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(async () => {
    // What is scrolled below the bar of a narrow page is no control without room: it is laid out
    // after the page for as long as it takes.
    const bar = document.querySelector('nav.bar');
    if (bar) bar.style.position = 'static';
    const found = await globalThis.axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      rules: { 'label-content-name-mismatch': { enabled: true } }, // not among those that run by themselves
      resultTypes: ['violations'],
    });
    if (bar) bar.style.position = '';
    return found;
  });
  return violations.flatMap((v) =>
    v.nodes.map(
      (n) =>
        `${v.id}: ${n.target.join(' ')}\n    ${n.html.slice(0, 160)}\n    ${n.failureSummary.replaceAll('\n', '\n    ')}`,
    ),
  );
}

// noSideScroll: the page is never wider than the window. What sticks out is named.
export async function noSideScroll(page, what = 'the page') {
  const out = await page.evaluate(() => {
    const wide = document.documentElement.scrollWidth;
    if (wide <= innerWidth) return [];
    const found = [...document.querySelectorAll('body *')].filter(
      (e) => e.getBoundingClientRect().right > innerWidth + 1,
    );
    return [`${wide} px in a window of ${innerWidth}`, ...found.slice(0, 8).map((e) => e.outerHTML.slice(0, 120))];
  });
  none(out, `${what} scrolls sideways`);
}

// tidy is what each screen has to be: nothing that axe finds, nothing that sticks out.
export async function tidy(page, what) {
  none(await axe(page), `${what}: axe`);
  await noSideScroll(page, what);
}
