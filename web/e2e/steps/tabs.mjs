import { check, launch, Line, none, same, signIn, until } from '../harness.mjs';

// Each tab records its streams, and every text that it shows of a streaming answer.
function watchTab() {
  globalThis.liveSeen = [];
  globalThis.streams = [];
  const note = () => {
    const text = document.querySelector('article[data-live] [data-text]')?.textContent;
    if (text && text !== globalThis.liveSeen.at(-1)) globalThis.liveSeen.push(text);
  };
  new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true });
  globalThis.EventSource = class extends EventSource {
    constructor(...args) {
      super(...args);
      globalThis.streams.push(this);
    }
  };
}

const letters = (text) => text.replace(/[^\p{L}\p{N}]/gu, ''); // unclosed Markdown shows its markers
const lastAnswer = (page) => page.locator('article[data-sender=AI] [data-text]').last();
const liveLength = (page) =>
  page.evaluate(() => document.querySelector('article[data-live] [data-text]')?.textContent.length ?? 0);

async function streams(base) {
  const text = await (await fetch(`${base}/metrics`)).text();
  return Number(/^fermata_sse_connections (\d+)/m.exec(text)?.[1]);
}

const oneStream = (base) => until('there is one stream', async () => (await streams(base)) === 1, 20_000);

/** Opens tabs of one browser on a chat. */
async function tabsOn(world, n, at, base = world.line.url, options = {}) {
  const first = await world.open({ base, ...options });
  const context = first.context();
  await context.addInitScript(watchTab);
  const tabs = [first];
  while (tabs.length < n) tabs.push(await context.newPage());
  for (const tab of tabs) {
    await tab.goto(`${base}/#${at}`);
    await tab.reload(); // the first one was open before the script was added
  }
  for (const tab of tabs) await tab.locator('#page-title, h1').first().waitFor();
  return tabs;
}

const newChat = async (call) => (await call('POST', '/v1/sessions', { type: 'CHAT' })).id;
const say = (call, id, text) => call('POST', `/v1/sessions/${id}/messages`, { text });
const rests = (call, id) =>
  until(
    'the answer is complete',
    async () => {
      const { data } = await call('GET', `/v1/sessions/${id}/messages?order=desc&limit=1`);
      return data[0]?.sender === 'AI' && (await call('GET', `/v1/sessions/${id}`)).phase === 'IDLE';
    },
    60_000,
  );

/** All tabs show the same as a freshly loaded one, and never showed anything else. */
async function exact(tabs, at, base) {
  const fresh = await tabs[0].context().newPage();
  await fresh.goto(`${base}/#${at}`);
  await lastAnswer(fresh).waitFor();
  const want = await until('the answer is there to compare with', async () =>
    letters(await lastAnswer(fresh).innerText()),
  );
  await fresh.close();
  check(want.length > 200, `a short answer: ${want}`);
  for (const [i, tab] of tabs.entries()) {
    await until(
      `tab ${i} has no text that streams`,
      async () => (await tab.locator('article[data-live]').count()) === 0,
    );
    await until(
      `tab ${i} shows the answer`,
      async () => letters(await lastAnswer(tab).innerText()) === want,
      5000,
    ).catch(async () => same(letters(await lastAnswer(tab).innerText()), want, `tab ${i}`));
    const seen = await tab.evaluate(() => globalThis.liveSeen);
    check(seen.length > 6, `tab ${i} saw ${seen.length} steps of the answer`);
    const wrong = seen.filter((text) => !want.startsWith(letters(text)));
    none(wrong.slice(0, 2), `tab ${i} showed for a moment, of an answer that is ${want}`);
  }
}

const grows = (tab, length) =>
  until(`${length} characters are shown`, async () => (await liveLength(tab)) >= length, 20_000);

/** All tabs have seen the answer grow: it may end. */
async function sawSteps(tabs) {
  for (const [i, tab] of tabs.entries())
    await until(`tab ${i} sees the answer grow`, () => tab.evaluate(() => globalThis.liveSeen.length > 6));
}

/** The tab with the stream. On a slow machine it may be changing at the moment. */
const leaderOf = (tabs) =>
  until('one tab holds the stream', async () => {
    const lead = await Promise.all(
      tabs.map((tab) => tab.evaluate(() => globalThis.streams.some((stream) => stream.readyState === 1))),
    );
    return lead.filter(Boolean).length === 1 && tabs[lead.indexOf(true)];
  });

/** Crashes a tab: none of its code runs any more. */
async function crash(tab) {
  const gone = tab.waitForEvent('crash');
  void tab.goto('chrome://crash').catch(() => {});
  await gone;
}

export const steps = [
  {
    name: 'eight tabs, one stream; a message sent in one streams in all; the leader closes, the next one crashes in mid-answer; a tab opens in mid-answer',
    async run(world) {
      const { call, base, line } = world;
      const model = await world.endless();
      const id = await newChat(call);
      const at = `/chat/${id}`;
      const tabs = await tabsOn(world, 8, at);
      await oneStream(base);
      await tabs[3].getByRole('textbox', { name: /message/i }).fill('help');
      await tabs[3].keyboard.press('Enter');
      for (const tab of tabs) await grows(tab, 60);
      await (await leaderOf(tabs)).close();
      let left = tabs.filter((tab) => !tab.isClosed());
      const late = await left[0].context().newPage();
      await late.goto(`${line.url}/#${at}`);
      await grows(late, 120);
      for (const tab of left) await grows(tab, 200);
      const next = await leaderOf(left);
      left = left.filter((tab) => tab !== next);
      await crash(next);
      await grows(late, 400);
      await sawSteps([...left, late]);
      model.finish();
      await rests(call, id);
      await exact([...left, late], at, line.url);
      await oneStream(base);
    },
  },
  {
    name: 'reloads in mid-answer, at any moment',
    async run(world) {
      const { call, line } = world;
      const model = await world.endless();
      const id = await newChat(call);
      const at = `/chat/${id}`;
      const tabs = await tabsOn(world, 3, at);
      for (let round = 0; round < 2; round++) {
        model.begin();
        await say(call, id, 'help');
        for (let i = 0; i < 3; i++) {
          const tab = tabs[(round + i) % 3];
          await grows(tabs[(round + i + 1) % 3], 30 + i * 150 + Math.floor(Math.random() * 100));
          await tab.reload();
        }
        await sawSteps(tabs);
        model.finish();
        await rests(call, id);
        await exact(tabs, at, line.url);
        for (const tab of tabs)
          await tab.evaluate(() => {
            globalThis.liveSeen = [];
          });
      }
    },
  },
  {
    name: 'the line is cut and a proxy responds 503 for 5 seconds in mid-answer, in all tabs',
    async run(world) {
      const { call, line, base } = world;
      const model = await world.endless();
      const id = await newChat(call);
      const at = `/chat/${id}`;
      const tabs = await tabsOn(world, 3, at);
      await say(call, id, 'help');
      for (const tab of tabs) await grows(tab, 60);
      line.set('cut');
      await tabs[0].waitForTimeout(400);
      line.set('open');
      await grows(tabs[1], 160);
      line.set('503');
      for (const tab of tabs) await tab.locator('#net.shown').waitFor(); // all tabs have it
      await tabs[0].waitForTimeout(3000);
      line.set('open');
      for (const tab of tabs) await until('the bar goes', async () => !(await tab.locator('#net.shown').isVisible()));
      for (const tab of tabs) await grows(tab, 400);
      await sawSteps(tabs);
      model.finish();
      await rests(call, id);
      await exact(tabs, at, line.url);
      await oneStream(base);
    },
  },
  {
    name: 'the server is killed in mid-answer and restarted',
    async run(world) {
      const { call, line, base, restart } = world;
      const model = await world.endless();
      const id = await newChat(call);
      const at = `/chat/${id}`;
      const tabs = await tabsOn(world, 3, at);
      await say(call, id, 'help');
      for (const tab of tabs) await grows(tab, 100);
      await restart();
      model.finish();
      await rests(call, id);
      for (const tab of tabs)
        await until(
          `it shows the answer`,
          async () => (await tab.locator('article[data-sender=AI]:not([data-live])').count()) > 0,
        );
      await oneStream(base);
      const fresh = await tabs[0].context().newPage();
      await fresh.goto(`${line.url}/#${at}`);
      await lastAnswer(fresh).waitFor();
      const want = await until('it is read', async () => letters(await lastAnswer(fresh).innerText()));
      for (const tab of tabs)
        await until(
          'all tabs show the same',
          async () =>
            letters(await lastAnswer(tab).innerText()) === want &&
            (await tab.locator('article[data-live]').count()) === 0,
          8000,
        );
    },
  },
  {
    name: 'over plain http, without locks: still one stream, handed over in mid-answer',
    async run(world) {
      const { base, call, key } = await world.locked();
      const model = await world.endless({ call });
      const browser = await launch(['--host-resolver-rules=MAP fermata.test 127.0.0.1']);
      try {
        const plain = `http://fermata.test:${new URL(base).port}`;
        const id = await newChat(call);
        const at = `/chat/${id}`;
        const context = await browser.newContext({ locale: 'en-GB' });
        await context.addInitScript(watchTab);
        const first = await context.newPage();
        await first.goto(plain);
        await signIn(first, key);
        await first.close();
        const tabs = [];
        for (let i = 0; i < 5; i++) {
          const tab = await context.newPage();
          await tab.goto(`${plain}/#${at}`);
          tabs.push(tab);
        }
        same(
          await tabs[0].evaluate(() => [typeof navigator.locks, typeof BroadcastChannel, isSecureContext]),
          ['undefined', 'function', false],
          'what the browser has',
        );
        const count = async () =>
          Number(
            /^fermata_sse_connections (\d+)/m.exec(
              await (await fetch(`${base}/metrics`, { headers: { Authorization: `Bearer ${key}` } })).text(),
            )?.[1],
          );
        await until('there is one stream', async () => (await count()) === 1, 20_000);
        await say(call, id, 'help');
        for (const tab of tabs) await grows(tab, 60);
        await (await leaderOf(tabs)).close();
        let left = tabs.filter((tab) => !tab.isClosed());
        for (const tab of left) await grows(tab, 200);
        const next = await leaderOf(left);
        left = left.filter((tab) => tab !== next);
        await crash(next);
        for (const tab of left) await grows(tab, 400);
        await sawSteps(left);
        model.finish();
        await rests(call, id);
        await exact(left, at, plain);
        await until('there is one stream', async () => (await count()) === 1, 20_000);
      } finally {
        await browser.close();
      }
    },
  },
  {
    name: 'a browser has one sign-in for all tabs; with a revoked key they show the form',
    async run(world) {
      const { base, call } = await world.locked();
      const keys = [
        await call('POST', '/v1/keys', { name: 'one', role: 'admin' }),
        await call('POST', '/v1/keys', { name: 'two', role: 'admin' }),
      ];
      const line = await new Line(base).open();
      try {
        const tabs = [];
        for (const { key } of keys) {
          const tab = await world.open({ base: line.url });
          await tab.context().addInitScript(watchTab);
          await signIn(tab, key);
          tabs.push(tab);
        }
        const beside = await tabs[0].context().newPage();
        await beside.goto(line.url);
        tabs.push(beside);
        for (const tab of tabs) await tab.getByRole('navigation').first().waitFor();
        const open = () =>
          Promise.all(
            tabs.map((tab) =>
              tab.evaluate(() => globalThis.streams.filter((stream) => stream.readyState === 1).length),
            ),
          );
        await until(
          'the first and the third have one, the second its own',
          async () => JSON.stringify(await open()) === '[1,1,0]',
        );
        await call('DELETE', `/v1/keys/${keys[1].id}`);
        line.set('cut'); // it is detected within a minute in any case
        line.set('open');
        const asks = tabs[1].getByRole('heading', { name: 'Sign in' });
        await asks.waitFor();
        for (const tab of [tabs[0], tabs[2]])
          check((await tab.getByRole('heading', { name: 'Sign in' }).count()) === 0, 'the other browser asks too');
        await until('the others are connected again', async () => JSON.stringify(await open()) === '[1,0,0]');

        // Signing out in one tab signs out all.
        await tabs[2].getByRole('button', { name: 'Sign out' }).click();
        for (const tab of [tabs[0], tabs[2]]) await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
      } finally {
        line.close();
      }
    },
  },
];
