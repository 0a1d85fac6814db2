// The base of the steps: a server, a browser, a connection between them that can be broken, the API, and assertions
// with clear failures.
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

// Page variants for open: `open({ ...dark, ...narrow })`.
export const dark = { colorScheme: 'dark' };
export const light = { colorScheme: 'light' };
export const narrow = { viewport: { width: 320, height: 640 } };
export const french = { locale: 'fr-FR' };

// api calls a server without a browser. It throws on any status but 2xx.
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

// English words that no French line contains.
const words =
  /(?<![\p{L}_-])(the|and|of|is|are|was|were|this|that|these|those|with|from|you|your|not|it|its|to|for|be|been|has|have|had|which|what|when|where|nothing|done|each|every|only|there|run|ran|failed|needs?|before|after|yes)(?![\p{L}_-])/iu;

// english returns the lines of a French text that are English, by their words or quotation marks.
export const english = (text) => text.split('\n').filter((line) => words.test(line) || line.includes('“'));

export const none = (wrong, what) => check(wrong.length === 0, `${what}:\n${wrong.join('\n')}`);

// until polls until the result is truthy, and returns it.
export async function until(what, ask, ms = 15000) {
  const end = Date.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`it did not come to this: ${what}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}

// doTo opens the menu of a row and clicks the named item.
export async function doTo(row, what) {
  await row.getByRole('button', { name: /^Actions/ }).click();
  await row
    .getByRole('group', { name: /^Actions/ })
    .getByText(what, { exact: true })
    .click();
}

// becomes waits until the page shows the wanted value.
export async function becomes(read, want, what) {
  let got;
  await until(what, async () => JSON.stringify((got = await read())) === JSON.stringify(want), 5000).catch(() =>
    same(got, want, what),
  );
}

// open opens a page and records forbidden behaviour: requests to other hosts, violations of its policy, exceptions.
// `at` is an address of the page, e.g. "/chat". Service workers are blocked, so that every request is visible;
// steps/installed.mjs tests the worker.
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

// watch records forbidden behaviour in page.bad, and console messages in page.log.
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

// signIn exchanges a key for the session cookie of a page's browser.
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

// axe returns the violations of WCAG 2.2 AA and best practices on the current page, one line per element; with
// `colours`, only those of contrast, for a page that was checked in its other theme. The script is evaluated once in
// each document, not loaded: the page's policy allows no external scripts.
export async function axe(page, { colours = false } = {}) {
  if (!(await page.evaluate(() => Boolean(globalThis.axe)))) await page.evaluate(axeSource);
  const { violations } = await page.evaluate(async (onlyColours) => {
    // Controls scrolled behind the bar of a narrow page are not too small: for the check, the bar is laid out
    // after the page.
    const bar = document.querySelector('nav.bar');
    if (bar) bar.style.position = 'static';
    const found = await globalThis.axe.run(document, {
      ...(onlyColours
        ? { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }
        : {
            runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
            rules: { 'label-content-name-mismatch': { enabled: true } }, // not among the rules that run by default
          }),
      resultTypes: ['violations'],
    });
    if (bar) bar.style.position = '';
    return found;
  }, colours);
  return violations.flatMap((v) =>
    v.nodes.map(
      (n) =>
        `${v.id}: ${n.target.join(' ')}\n    ${n.html.slice(0, 160)}\n    ${n.failureSummary.replaceAll('\n', '\n    ')}`,
    ),
  );
}

// noSideScroll: the page is never wider than the window. Names the elements that overflow.
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

// tidy is required of each screen: no axe violations, and no overflow.
export async function tidy(page, what, options) {
  none(await axe(page, options), `${what}: axe`);
  await noSideScroll(page, what);
}
