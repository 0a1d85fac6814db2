import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, Line, none, open, server } from './harness.mjs';
import { Endless } from './endless.mjs';

const rootKey = 'e2e-root-key-0123456789-0123456789';

// World is the environment of the steps of one file: a browser, and a server for them alone.
export class World {
  static async make({ env = {}, shots } = {}) {
    const world = new World();
    world.shotsDir = shots;
    world.own = [];
    world.models = [];
    world.browser = await launch();
    world.server = await world.freshServer({ env });
    world.base = world.server.base;
    world.call = world.server.call;
    world.line = await new Line(world.base).open();
    // Steps often destructure the world: async ({ open, call }) => …
    for (const name of ['open', 'shot', 'freshServer', 'restart', 'locked', 'demo', 'endless'])
      world[name] = world[name].bind(world);
    return world;
  }

  /** A page behind the line; options are those of a browser context, and `at`, `base`. */
  open({ base = this.line.url, ...options } = {}) {
    return open(this.browser, base, options);
  }

  /** Kills the server and starts it again. */
  restart() {
    return this.server.restart();
  }

  /** One more server, with an empty data folder. */
  async freshServer(options) {
    const made = await server(options);
    this.own.push(made);
    return made;
  }

  /** A server that requires a key: { base, call, key }. */
  async locked() {
    return { ...(await this.freshServer({ env: { FERMATA_ROOT_KEY: rootKey }, key: rootKey })), key: rootKey };
  }

  /** Sets the speed of the demo provider: `demo({ word_delay_ms: 25 })`. */
  demo(config) {
    return this.call('POST', '/v1/providers', {
      name: `Demo ${JSON.stringify(config)}`,
      kind: 'demo',
      is_default: true,
      config,
    });
  }

  /** A model whose answers stream until finish is called, to test the page in mid-answer. */
  async endless({ every = 30, call = this.call } = {}) {
    const made = await new Endless(every).open(call);
    this.models.push(made);
    return made;
  }

  /** A picture, if run.sh has --shots. */
  async shot(page, name) {
    if (!this.shotsDir) return;
    mkdirSync(this.shotsDir, { recursive: true });
    await page.screenshot({ path: join(this.shotsDir, `${name}.png`) });
  }

  get pages() {
    return this.browser.contexts().flatMap((context) => context.pages());
  }

  /** The assertions at the end of every step. */
  judge() {
    none(
      this.pages.flatMap((page) => page.bad),
      'the page did what it must not',
    );
  }

  async clear() {
    for (const context of this.browser.contexts()) await context.close().catch(() => {});
    this.line.set('open');
    this.line.delay = 0;
    this.line.answers.clear();
    this.line.changes.clear();
  }

  /** Saves the evidence of a failed step: pictures, the pages' messages, the servers' logs. */
  async keep(dir) {
    mkdirSync(dir, { recursive: true });
    for (const [i, page] of this.pages.entries()) {
      await page.screenshot({ path: join(dir, `page${i + 1}.png`), timeout: 5000 }).catch(() => {});
      const tree = await page
        .locator('body')
        .ariaSnapshot({ timeout: 5000 })
        .catch((e) => e.message);
      writeFileSync(join(dir, `page${i + 1}.txt`), `${page.url()}\n\n${(page.log ?? []).join('\n')}\n\n${tree}\n`);
    }
    this.own.forEach((made, i) => {
      try {
        copyFileSync(made.log, join(dir, `server${i + 1}.log`));
      } catch {
        /* it is gone */
      }
    });
  }

  async end() {
    await this.browser.close().catch(() => {});
    this.line.close();
    for (const model of this.models) model.close();
    for (const made of this.own) await made.stop().catch(() => {});
  }
}
