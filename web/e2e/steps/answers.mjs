import http from 'node:http';
import { becomes, check, dark, french, narrow, same, tidy, until } from '../harness.mjs';
import { Model } from '../model.mjs';

export const env = { FERMATA_ALLOWED_HOSTS: '127.0.0.1/32' };

const field = (page) => page.locator('#message');
const say = async (page, text) => {
  await field(page).fill(text);
  await field(page).press('Enter');
};
const idOf = (page) =>
  until('the chat has an address', () => page.evaluate(() => /#\/chat\/(ses_\w+)/.exec(location.hash)?.[1]));
const idle = (call, id) =>
  until('the session rests', async () => (await call('GET', `/v1/sessions/${id}`)).status === 'idle', 40_000);
const quick = (call) =>
  call('POST', '/v1/providers', { name: 'Quick', kind: 'demo', is_default: true, config: { word_delay_ms: 0 } });

async function withModel(call, answer, run) {
  const model = await new Model(answer).open();
  try {
    return await run(model, await model.serve(call));
  } finally {
    model.close();
  }
}

// talk creates a chat with messages and answers.
async function talk(call, text, more = {}) {
  const { id } = await call('POST', '/v1/sessions', { type: 'CHAT', message: text, ...more });
  await until('it is answered', async () => {
    const { data } = await call('GET', `/v1/sessions/${id}/messages?order=desc&limit=1`);
    return data[0]?.sender === 'AI';
  });
  await idle(call, id);
  return id;
}

const report = [
  '# Report',
  'The week in figures.',
  '## Sleep',
  '### By day',
  '| Day | Hours | Note |',
  '|---|---|---|',
  '| Monday | 7.5 | well |',
  '| Wednesday | 12.25 | ill |',
  '',
  '```python',
  'def mean(values):  # of all',
  '    return sum(values) / len(values), "hours", "a line that is much longer than any screen is wide, so that it has to be wrapped or scrolled"',
  '```',
  '',
  'שלום עולם, and **مرحبا** again.',
].join('\n');

const style = (locator, name) => locator.evaluate((e, n) => getComputedStyle(e)[n], name);

export const steps = [
  {
    name: 'an answer has headings of three sizes, aligned figures, and highlighted code with its language',
    async run({ open, call, shot }) {
      await withModel(
        call,
        () => report,
        async () => {
          const id = await talk(call, 'report');
          const page = await open({ at: `/chat/${id}`, permissions: ['clipboard-read', 'clipboard-write'] });
          const answer = page.locator('[data-sender=AI]');
          await answer.getByRole('heading', { name: 'Report' }).waitFor();
          const sizes = await answer
            .locator('.md :is(h2, h3, h4)')
            .evaluateAll((all) => all.map((h) => [getComputedStyle(h).fontSize, getComputedStyle(h).fontWeight]));
          same(
            sizes,
            [
              ['20px', '600'],
              ['17px', '600'],
              ['15px', '600'],
            ],
            'the headings',
          );
          same(await style(answer.getByRole('cell', { name: '12.25' }), 'textAlign'), 'right', 'a figure');
          same(await style(answer.getByRole('columnheader', { name: 'Hours' }), 'textAlign'), 'right', 'its heading');
          same(await style(answer.getByRole('cell', { name: 'ill' }), 'textAlign'), 'left', 'a word');
          const code = answer.locator('[data-code=python]');
          await code.getByText('python').waitFor();
          const word = code.locator('[data-kind=word]').first();
          await word.waitFor(); // the highlighter was loaded
          same(await style(code.locator('pre'), 'fontSize'), '13px', 'the size of code');
          check((await style(word, 'color')) !== (await style(code.locator('code'), 'color')), 'a word has its colour');
          await code.getByRole('button', { name: 'Copy' }).click();
          await becomes(
            () => page.evaluate(() => navigator.clipboard.readText().then((x) => x.split('\n')[0])),
            'def mean(values):  # of all',
            'what was copied',
          );
          check(
            await code.locator('pre').evaluate((p) => p.scrollWidth > p.clientWidth),
            'a long line scrolls in its box',
          );
          await code.getByRole('button', { name: 'Wrap' }).click();
          check(await code.locator('pre').evaluate((p) => p.scrollWidth <= p.clientWidth), 'a long line is wrapped');
          await tidy(page, 'an answer with all of it');
          await shot(page, 'answer-light-wide');
          for (const look of [{ ...narrow, ...dark, ...french }, { ...dark }, { ...narrow }]) {
            const other = await open({ at: `/chat/${id}`, ...look });
            await other.locator('[data-kind=word]').first().waitFor();
            await tidy(other, `an answer ${JSON.stringify(look)}`);
            await shot(other, `answer-${look.colorScheme ?? 'light'}-${look.viewport?.width ?? 1280}`);
          }
        },
      );
    },
  },
  {
    name: 'while an answer streams, the caret stays in the last line, and only the text moves',
    async run({ open, call, endless, shot }) {
      const model = await endless();
      const page = await open({ at: '/chat' });
      await field(page).waitFor();
      const id = (await call('POST', '/v1/sessions', { name: 'Long' })).id;
      await page.goto(`${page.url().split('#')[0]}#/chat/${id}`);
      await page.locator('#page-title').getByText('Long').waitFor();
      const heights = () =>
        page.evaluate(() =>
          ['#message', 'header'].map((s) => Math.round(document.querySelector(s).getBoundingClientRect().top)),
        );
      const dock = () =>
        page.evaluate(() => document.querySelector('#message').closest('form').parentElement.offsetHeight);
      await page.evaluate(() => {
        window.shift = 0;
        new PerformanceObserver((list) => {
          for (const e of list.getEntries()) if (!e.hadRecentInput) window.shift += e.value;
        }).observe({ type: 'layout-shift' });
      });
      const before = [await dock(), await heights()];
      await say(page, 'write');
      const caret = page.locator('[data-live] .caret');
      await caret.waitFor();
      check(
        await caret.evaluate((c) => ['P', 'LI'].includes(c.parentElement.tagName)),
        'the mark stands in a paragraph',
      );
      await page.locator('[data-words]').getByText('Writing…').waitFor();
      same([await dock(), await heights()], before, 'the dock while an answer is written');
      await shot(page, 'answer-streaming');
      model.finish();
      await idle(call, id);
      await becomes(() => page.locator('[data-live]').count(), 0, 'it is done');
      same([await dock(), await heights()], before, 'the dock afterwards');
      same(await page.locator('.caret').count(), 0, 'marks afterwards');
      const shift = await page.evaluate(() => window.shift);
      check(shift < 0.05, `the layout shifted by ${shift}`);
    },
  },
  {
    name: 'reads are one line, a change has Undo, and the exact call is two clicks away',
    async run({ open, call, shot }) {
      await quick(call);
      const id = await talk(call, 'create a zone Attic');
      const page = await open({ at: `/chat/${id}` });
      const reads = page.locator('[data-reads]');
      await reads.getByText('Looked up 1 thing').waitFor();
      same(await page.locator('[data-command=ZONES]').count(), 0, 'what was looked up is folded');
      await reads.locator('> summary').click();
      const read = page.locator('[data-command=ZONES]');
      await read.locator('summary').first().click();
      await read.locator('pre').first().waitFor();
      const made = page.locator('[data-command=CREATE_ZONE]');
      await made.getByText('Added the zone “Attic”').waitFor();
      same(await page.getByText('CREATE_ZONE').count(), 0, 'a name of the machine');
      await made.locator('summary').first().click();
      await made.locator('[data-raw] > summary').click();
      await made.getByText('"Attic"').first().waitFor();
      await tidy(page, 'what was done, opened');
      await shot(page, 'answer-commands');
      const zones = async () => (await call('GET', '/v1/zones')).data.map((z) => z.name);
      check((await zones()).includes('Attic'), 'it is there');
      await made.locator('[data-act=undo]').click();
      await made.locator('[data-undone]').waitFor();
      check(!(await zones()).includes('Attic'), 'it is gone again');
      await page.reload();
      await made.locator('[data-undone]').waitFor();
    },
  },
  {
    name: 'a change of an entry is undone, unless it was changed again since',
    async run({ open, call }) {
      await quick(call);
      const zone = await call('POST', '/v1/zones', { name: 'Nights' });
      const tool = await call('POST', '/v1/tools', {
        zone_id: zone.id,
        tool_type: 'tracking',
        name: 'Rest',
        config: { unit: 'h', min: 0, max: 24 },
      });
      const entry = await call('POST', `/v1/tools/${tool.id}/entries`, { data: { value: 8 } });
      const value = async () => (await call('GET', `/v1/entries/${entry.id}`)).data.value;
      const change = async (to) => {
        const { id } = await call('POST', '/v1/sessions', {
          type: 'CHAT',
          message: `change the last entry of Rest to ${to}`,
        });
        await until('it is changed', async () => {
          for (const a of (await call('GET', `/v1/approvals?status=open&session_id=${id}`)).data)
            await call('POST', `/v1/sessions/${id}/validation`, { approved: true, approval_id: a.id });
          return (await value()) === to;
        });
        await idle(call, id);
        return open({ at: `/chat/${id}` });
      };
      const page = await change(7.75);
      await page.locator('[data-command=UPDATE_DATA] [data-act=undo]').click();
      await until('it is as it was', async () => (await value()) === 8);
      const later = await change(7.5);
      await call('PATCH', `/v1/entries/${entry.id}`, { data: { value: 6 } });
      await later.locator('[data-command=UPDATE_DATA] [data-act=undo]').click();
      await later.getByText('It was changed again since').waitFor();
      same(await value(), 6, 'what was changed since');
    },
  },
  {
    name: 'changes of documents and tool types are undone: a draft, a new one, a published version, a type',
    async run({ freshServer, open, shot }) {
      const { base, call } = await freshServer({ env: { FERMATA_SCRIPT_PROVIDER: '1' } });
      const act = (word, name, args) => ({
        when: { contains: word, roundtrip: 1 },
        answer: { calls: [{ name, arguments: args }] },
      });
      const schema = { type: 'object', properties: { mood: { type: 'string' } } };
      await call('POST', '/v1/providers', {
        name: 'Script',
        kind: 'script',
        is_default: true,
        config: {
          steps: [
            act('rewrite', 'CONTEXT_UPDATE', { key: 'rules', body: 'Shoes on.' }),
            act('add', 'CONTEXT_UPDATE', { key: 'diet', body: 'No sugar.' }),
            act('publish', 'CONTEXT_PUBLISH', { key: 'rules' }),
            act('type', 'CREATE_TOOL_TYPE', {
              id: 'mood',
              name: 'Mood',
              config_schema: { type: 'object' },
              entry_schema: schema,
            }),
            { answer: { text: 'Done.' } },
          ],
        },
      });
      const rules = await call('POST', '/v1/documents', { key: 'rules', title: 'Rules', body: 'Shoes off.' });
      await call('POST', `/v1/documents/${rules.id}/publish`);
      const now = () => call('GET', `/v1/documents/${rules.id}`);
      const does = async (text, command) => {
        const { id } = await call('POST', '/v1/sessions', { type: 'CHAT', message: text });
        await until('it is done', async () => {
          for (const a of (await call('GET', `/v1/approvals?status=open&session_id=${id}`)).data)
            await call('POST', `/v1/sessions/${id}/validation`, { approved: true, approval_id: a.id });
          return (await call('GET', `/v1/sessions/${id}`)).status === 'idle';
        });
        const page = await open({ base, at: `/chat/${id}` });
        return { page, id, card: page.locator(`[data-command=${command}]`) };
      };

      const written = await does('rewrite it', 'CONTEXT_UPDATE');
      same((await now()).body, 'Shoes on.', 'the draft');
      await written.card.locator('[data-act=undo]').click();
      await written.card.locator('[data-undone]').waitFor();
      same((await now()).body, 'Shoes off.', 'the draft, taken back');

      const added = await does('add it', 'CONTEXT_UPDATE');
      await added.card.getByText('Added the document “diet”').waitFor();
      await added.card.locator('[data-act=undo]').click();
      await added.card.locator('[data-undone]').waitFor();
      same((await call('GET', '/v1/documents')).data.length, 1, 'the new one is gone');

      await call('PATCH', `/v1/documents/${rules.id}`, { body: 'Slippers.' });
      const published = await does('publish it', 'CONTEXT_PUBLISH');
      same((await now()).published_body, 'Slippers.', 'what every chat reads');
      await call('PATCH', `/v1/documents/${rules.id}`, { body: 'Socks.' });
      // In the timeline too, in place.
      const line = await open({ base, at: `/timeline/${published.id}` });
      await line
        .getByRole('option', { name: /Publish a document/ })
        .first()
        .click();
      await line.locator('[data-details] [data-act=undo]').click();
      await line.locator('[data-undone]').waitFor();
      const { body, published_body } = await now();
      same([published_body, body], ['Shoes off.', 'Socks.'], 'what was published before, and the draft');
      await shot(line, 'undo-published');

      const typed = await does('type please', 'CREATE_TOOL_TYPE');
      const own = async () => (await call('GET', '/v1/tool-types')).data.some((x) => x.id === 'mood');
      same(await own(), true, 'the type is there');
      const zone = await call('POST', '/v1/zones', { name: 'Health' });
      const tool = await call('POST', '/v1/tools', { zone_id: zone.id, tool_type: 'mood', name: 'Mood', config: {} });
      await typed.card.locator('[data-act=undo]').click();
      await typed.card.locator('[data-code=tool_type_in_use]').waitFor();
      await shot(typed.page, 'undo-in-use');
      same(await own(), true, 'it is used');
      await call('DELETE', `/v1/tools/${tool.id}`);
      await typed.card.locator('[data-act=undo]').click();
      await until('the type is gone', async () => !(await own()));
    },
  },
  {
    name: 'the actions of a message appear on hover; the last question is edited in place',
    async run({ open, call, shot }) {
      await withModel(
        call,
        (asked) => `You said: ${asked.messages.findLast((m) => m.role === 'user').content.split('\n')[0]}`,
        async () => {
          const id = await talk(call, 'first words');
          const page = await open({ at: `/chat/${id}` });
          const mine = page.locator('[data-sender=USER]');
          const foot = mine.locator('footer > *').first(); // the elements that fade
          await page.mouse.move(5, 5);
          await becomes(() => style(foot, 'opacity'), '0', 'the actions of a message without hover or focus');
          await mine.hover();
          await becomes(() => style(foot, 'opacity'), '1', 'its actions under the pointer');
          await page.mouse.move(5, 5);
          await mine.getByRole('button', { name: 'Edit' }).focus();
          await becomes(() => style(foot, 'opacity'), '1', 'its actions by keyboard');
          for (const name of ['Copy', 'New chat from here'])
            await mine.getByRole('button', { name }).waitFor({ state: 'attached' });
          await mine.getByRole('link', { name: 'Timeline' }).waitFor({ state: 'attached' });
          await page.keyboard.press('Enter');
          const form = page.locator('[data-editing=again]');
          await form.getByRole('textbox').fill('other words');
          await tidy(page, 'a message that is edited');
          await shot(page, 'answer-edit');
          await form.getByRole('button', { name: 'Send' }).click();
          await page.locator('[data-sender=AI]').getByText('You said: other words').waitFor();
          await page.getByText('2 / 2').waitFor();
          await idle(call, id);
          await page.getByRole('button', { name: 'Previous answer' }).click();
          await page.locator('[data-sender=USER]').getByText('first words').waitFor();
          same((await call('GET', '/v1/sessions?type=CHAT')).data.filter((s) => s.id === id).length, 1, 'one chat');
        },
      );
    },
  },
  {
    name: 'editing an earlier message forks the chat, and the original is unchanged',
    async run({ open, call }) {
      await withModel(
        call,
        () => 'Well.',
        async () => {
          const id = await talk(call, 'one');
          await call('POST', `/v1/sessions/${id}/messages`, { text: 'two' });
          await until('both are answered', async () => {
            const { data } = await call('GET', `/v1/sessions/${id}/messages`);
            return data.length === 4;
          });
          await idle(call, id);
          const page = await open({ at: `/chat/${id}` });
          await page.locator('[data-sender=USER]').nth(1).waitFor();
          await page.locator('[data-sender=USER]').first().locator('[data-act=edit]').click();
          const form = page.locator('[data-editing=fork]');
          await form.getByText('This starts a new chat').waitFor();
          await form.getByRole('textbox').fill('uno');
          await form.getByRole('button', { name: 'Send' }).click();
          await until('it is another chat', async () => !page.url().includes(id));
          await page.locator('[data-sender=USER]').getByText('uno').waitFor();
          const said = (await call('GET', `/v1/sessions/${id}/messages`)).data.filter((m) => m.sender === 'USER');
          same(
            said.map((m) => m.rich_content.linear_text),
            ['one', 'two'],
            'the first chat',
          );
        },
      );
    },
  },
  {
    name: 'an answer is requested again from another model with two clicks',
    async run({ open, call }) {
      await withModel(
        call,
        () => 'Of the first.',
        async () => {
          const other = await call('POST', '/v1/providers', {
            name: 'Second',
            kind: 'script',
            config: { steps: [{ answer: { text: 'Of the second.' } }] },
          });
          const page = await open({ at: `/chat/${await talk(call, 'who?')}` });
          await page.locator('[data-act=again]').click();
          await page.locator(`[data-again-with="${other.id}"]`).click();
          await page.locator('[data-sender=AI]').getByText('Of the second.').waitFor();
          await page.getByText('2 / 2').waitFor();
        },
      );
    },
  },
  {
    name: 'an expired question is asked again with one click',
    async run({ open, call, shot }) {
      await quick(call);
      await call('PATCH', '/v1/settings', { require_validation: true, chat_eviction_after: '1s' });
      const page = await open({ at: '/chat' });
      await say(page, 'create a zone Cellar');
      const id = await idOf(page);
      await page.locator('[data-approval][data-status=open]').waitFor();
      const order = await call('POST', '/v1/automations', { name: 'Nightly', enabled: false, seed: { text: 'help' } });
      await call('POST', `/v1/automations/${order.id}/execute`);
      await page.locator('[data-approval][data-status=evicted]').waitFor({ timeout: 40_000 });
      await page.locator('[data-act=ask-again]').waitFor({ timeout: 40_000 });
      await tidy(page, 'an expired approval');
      await shot(page, 'answer-evicted');
      await call('PATCH', '/v1/settings', { chat_eviction_after: '5m' });
      await page.locator('[data-act=ask-again]').click();
      const again = page.locator('[data-approval][data-status=open]');
      await again.waitFor({ timeout: 40_000 });
      await again
        .getByRole('button', { name: /^Approve/ })
        .first()
        .click();
      await idle(call, id);
      check(
        (await call('GET', '/v1/zones')).data.some((z) => z.name === 'Cellar'),
        'it was made after the second question',
      );
      await call('PATCH', '/v1/settings', { require_validation: false });
    },
  },
  {
    name: 'the reason of a rejection is shown once',
    async run({ open, call }) {
      await quick(call);
      await call('PATCH', '/v1/settings', { require_validation: true });
      const page = await open({ at: '/chat' });
      await say(page, 'create a zone Barn');
      const id = await idOf(page);
      const card = page.locator('[data-approval][data-status=open]');
      await card.getByRole('button', { name: 'Refuse…' }).click();
      await card.getByRole('textbox').fill('We have no barn at all');
      await card.getByRole('button', { name: 'Refuse with this reason' }).click();
      await page.locator('[data-approval][data-status=refused]').waitFor();
      await idle(call, id);
      await becomes(() => page.locator('[data-sender=USER]').count(), 1, 'what looks as if it was written');
      same(await page.getByText('We have no barn at all', { exact: true }).count(), 1, 'the reason');
      await page.reload();
      await page.getByText('We have no barn at all', { exact: true }).waitFor();
      same(await page.getByText('We have no barn at all', { exact: true }).count(), 1, 'the reason after a reload');
      await call('PATCH', '/v1/settings', { require_validation: false });
    },
  },
  {
    name: 'an invalid key is reported as such, with a link to the provider',
    async run({ open, call, shot }) {
      const vendor = http.createServer((_, response) =>
        response
          .writeHead(401, { 'Content-Type': 'application/json' })
          .end(
            JSON.stringify({ error: { message: 'Incorrect API key provided: sk-abc', type: 'invalid_request_error' } }),
          ),
      );
      await new Promise((done) => vendor.listen(0, '127.0.0.1', done));
      try {
        const provider = await call('POST', '/v1/providers', {
          name: 'Closed',
          kind: 'openai_compatible',
          is_default: true,
          config: { base_url: `http://127.0.0.1:${vendor.address().port}/v1`, api_key: 'wrong', model: 'x' },
        });
        const page = await open({ at: '/chat' });
        await say(page, 'hello');
        const box = page.locator('[data-system=NETWORK_ERROR]');
        await box.getByText('Closed rejected the API key.').waitFor({ timeout: 40_000 });
        check(!/provider_authentication|could not be reached/.test(await box.innerText()), await box.innerText());
        await shot(page, 'answer-key-refused');
        await tidy(page, 'a refused key');
        await page.setViewportSize(narrow.viewport);
        await tidy(page, 'a refused key, narrow');
        await box.getByRole('link', { name: 'Check the provider' }).click();
        await until('the provider is shown', () => page.url().includes('/settings/providers'));
        check(provider.id.startsWith('prv_'), 'there is one');
      } finally {
        vendor.closeAllConnections();
        vendor.close();
      }
    },
  },
];
