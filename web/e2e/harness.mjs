// What the steps stand on: a browser, a line to the server that can be cut, the API,
// and checks that say what was wrong.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import net from 'node:net';
import { chromium } from 'playwright-core';

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'];

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: flags });

// Line stands between the browser and the server. mode: "open"; "cut", where every
// connection breaks; "503", where a proxy answers instead of the server.
export class Line {
  constructor(target) {
    this.target = new URL(target);
    this.mode = 'open';
    this.sockets = new Set();
    this.server = net.createServer((socket) => this.accept(socket));
  }

  async open() {
    await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  accept(socket) {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => {});
    if (this.mode === 'cut') return socket.destroy();
    if (this.mode === '503') {
      socket.once('data', () => socket.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'));
      return;
    }
    const far = net.connect(this.target.port, this.target.hostname);
    far.on('error', () => socket.destroy());
    far.on('close', () => socket.destroy());
    socket.on('close', () => far.destroy());
    socket.pipe(far).pipe(socket);
  }

  set(mode) {
    this.mode = mode;
    for (const socket of this.sockets) socket.destroy();
  }

  close() { this.set('cut'); this.server.close(); }
}

// api calls the server straight, past the line.
export function api(base, headers = {}) {
  return async (method, path, body) => {
    const response = await fetch(base + path, {
      method, headers: { 'Content-Type': 'application/json', ...headers }, body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : null;
  };
}

export function check(truth, what) {
  if (!truth) throw new Error(what);
}

export function same(got, want, what) {
  if (got !== want) throw new Error(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
}

// until asks again and again until the answer is true.
export async function until(what, ask, ms = 15000) {
  const end = Date.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`it did not come to this: ${what}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}

// becomes waits until what a page shows is what is wanted: pages take their time.
export async function becomes(read, want, what) {
  let got;
  await until(what, async () => (got = await read()) === want, 5000).catch(() => same(got, want, what));
}

// open makes a page and watches what it must not do: ask other hosts, break its own
// policy, throw.
export async function open(browser, base, options = {}) {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.bad = [];
  page.on('pageerror', (e) => page.bad.push(`thrown: ${e.message}`));
  page.on('console', (m) => {
    if (m.type() === 'error' && !/Failed to load resource|ERR_/.test(m.text())) page.bad.push(`console: ${m.text()}`);
  });
  page.on('request', (r) => { if (!r.url().startsWith(base)) page.bad.push(`asked another host: ${r.url()}`); });
  await page.goto(base);
  return page;
}

// shots takes pictures if a directory was asked for.
export function shots(dir) {
  if (dir) mkdirSync(dir, { recursive: true });
  return async (page, name) => { if (dir) await page.screenshot({ path: `${dir}/${name}.png` }); };
}

export const chromiumVersion = () => execFileSync(process.env.CHROMIUM ?? '/usr/bin/chromium', ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] }).toString().trim();
