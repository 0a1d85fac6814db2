import { becomes, check, dark, french, narrow, same, tidy, until } from '../harness.mjs';

const field = (page) => page.locator('#message');
const say = async (page, text) => {
  await field(page).fill(text);
  await field(page).press('Enter');
};
const focused = (page) => page.evaluate(() => document.activeElement.id);
const chat = (call, name) => call('POST', '/v1/sessions', { type: 'CHAT', name });

export const steps = [
  {
    name: 'the message field has the focus when a chat is opened, and by "/" and "c"',
    async run({ open, call }) {
      const one = await chat(call, 'One');
      const two = await chat(call, 'Two');
      const page = await open({ at: `/chat/${one.id}` });
      await page.locator('#page-title').getByText('One').waitFor();
      await becomes(() => focused(page), 'message', 'the focus in an opened chat');
      await page.locator(`#chats a[href="#/chat/${two.id}"]`).click();
      await page.locator('#page-title').getByText('Two').waitFor();
      await becomes(() => focused(page), 'message', 'the focus in another chat');
      await page.getByRole('link', { name: 'New chat' }).click();
      await page.getByRole('heading', { name: 'What can I do for you?' }).waitFor();
      await becomes(() => focused(page), 'message', 'the focus in a new chat');
      for (const key of ['/', 'c']) {
        await page.locator('#page-title').focus();
        await page.keyboard.press(key);
        await becomes(() => focused(page), 'message', `the focus after ${key}`);
        same(await field(page).inputValue(), '', 'the key is not typed');
      }
    },
  },
  {
    name: 'the note about the demo fits: the demo answers, and other providers may exist',
    async run({ open, call }) {
      const page = await open({ at: '/chat' });
      await page.getByText('The demo model answers.').waitFor();
      await page.getByRole('link', { name: 'Connect your own' }).waitFor();
      await call('POST', '/v1/providers', {
        name: 'Other',
        kind: 'script',
        config: { steps: [{ answer: { text: 'x' } }] },
      });
      await page.reload();
      await page.getByRole('link', { name: 'Choose another model' }).waitFor();
      same(await page.getByText('No provider').count(), 0, 'what is not true');
    },
  },
  {
    name: 'the delivery of a message to a busy session is a menu on Send, and is remembered',
    async run({ open, call, endless, shot }) {
      const model = await endless();
      const page = await open({ at: '/chat' });
      await say(page, 'write');
      const menu = page.locator('[data-act=busy]');
      await menu.waitFor();
      await menu.click();
      await page.getByRole('button', { name: 'Interrupt' }).waitFor();
      await tidy(page, 'the menu on Send');
      await shot(page, 'dock-menu');
      await page.getByRole('button', { name: 'Add to this answer' }).click();
      await page.getByRole('button', { name: 'While it is busy: Add to this answer' }).waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'While it is busy: Add to this answer' }).waitFor();
      await menu.click();
      await page.getByRole('button', { name: 'Queue', exact: true }).click();
      await say(page, 'second');
      await say(page, 'third');
      const line = page.getByRole('button', { name: '2 queued' });
      await line.click();
      await becomes(() => page.locator('[data-queued] li').count(), 2, 'what waits');
      await tidy(page, 'what waits, opened');
      await shot(page, 'dock-queue');
      await line.click();
      await becomes(() => page.locator('[data-queued] li').count(), 0, 'it is folded');
      model.finish();
      await call('POST', `/v1/sessions/${/ses_\w+/.exec(page.url())[0]}/stop`);
    },
  },
  {
    name: 'the clock of the status line stops while the server is unreachable',
    async run({ open, endless, line }) {
      const model = await endless();
      const page = await open({ at: '/chat' });
      await say(page, 'write');
      const state = page.locator('[data-phase=CALLING_AI]');
      await state.getByText(/\d\s?s$/).waitFor();
      line.set('cut');
      await page.locator('#net.shown').waitFor();
      const stopped = await state.innerText();
      const from = await page.evaluate(() => performance.now());
      await until('three seconds pass', () => page.evaluate((t) => performance.now() > t + 3000, from));
      same(await state.innerText(), stopped, 'the status line');
      line.set('open');
      await until('the clock runs again', async () => (await state.innerText()) !== stopped);
      model.finish();
    },
  },
  {
    name: 'the name is edited in place; tokens and context are under the name of the model',
    async run({ open, call, demo, shot }) {
      await demo({ word_delay_ms: 0 });
      const page = await open({ at: '/chat' });
      await say(page, 'help');
      await page.locator('[data-sender=AI]:not([data-live])').waitFor();
      const id = /ses_\w+/.exec(page.url())[0];
      await page.locator('#page-title').click();
      const name = page.getByRole('textbox', { name: 'Name' });
      await name.fill('Mine');
      await name.press('Escape');
      await page.locator('#page-title').getByText('help').waitFor();
      await page.locator('#page-title').click();
      await name.fill('Mine');
      await name.press('Enter');
      await page.locator('#page-title').getByText('Mine').waitFor();
      same((await call('GET', `/v1/sessions/${id}`)).name, 'Mine', 'the name');
      await page.locator('[data-act=model]').click();
      await page
        .getByText(/tokens?$/)
        .first()
        .waitFor();
      await tidy(page, 'what the model has used');
      await shot(page, 'dock-model');
      const small = await open({ at: `/chat/${id}`, ...narrow, ...dark, ...french });
      await small.locator('[data-act=model]').click();
      await small
        .getByText(/jetons?$/)
        .first()
        .waitFor();
      await tidy(small, 'what the model has used, small');
      await shot(small, 'dock-model-narrow');
    },
  },
  {
    name: 'the list: chats that need you first, then by day, a dot at new answers, names cut between words',
    async run({ open, call, line, shot }) {
      const real = await call('GET', '/v1/sessions?type=CHAT&limit=1');
      const like = real.data[0] ?? (await chat(call, 'x'));
      const day = 86_400_000;
      const of = (name, ago, more = {}) => ({
        ...like,
        id: `ses_${name}`,
        name,
        pinned: false,
        status: 'idle',
        last_event_time: new Date(Date.now() - ago * day).toISOString(),
        ...more,
      });
      const long = 'A name that is much too long to be shown as a whole in the narrow list of the chats';
      line.answers.set('/v1/sessions', {
        data: [
          of('now', 0),
          of('before', 1),
          of('month', 100),
          of('pinned', 50, { pinned: true }),
          of('asks', 3, { status: 'requires_action' }),
          of(long, 0),
          of('\u202eevil\u202c مرحبا', 0),
        ],
        next_cursor: null,
      });
      const page = await open({ at: '/chat' });
      await page.locator('[data-group=needs]').waitFor();
      const groups = await page.locator('#chats [data-group]').evaluateAll((all) => all.map((g) => g.dataset.group));
      same(groups.slice(0, 4), ['needs', 'pinned', 'today', 'yesterday'], 'the groups');
      same(groups.length, 5, 'and a month');
      const cut = await page.locator('#chats').getByText('A name that is much').innerText();
      check(/ \S+…$/.test(cut) && long.startsWith(cut.slice(0, -1)), `the name is cut as ${cut}`);
      check(long[cut.length - 1] === ' ', 'it is cut between words');
      await page.locator('#chats').getByText('\\u202e').waitFor();
      await tidy(page, 'the list');
      await shot(page, 'dock-list');
      line.answers.clear();
      const one = await chat(call, 'Watched');
      const two = await chat(call, 'Elsewhere');
      const look = await open({ at: `/chat/${one.id}` });
      await look.locator(`#chats a[href="#/chat/${two.id}"]`).waitFor();
      await call('POST', `/v1/sessions/${two.id}/messages`, { text: 'help' });
      await look.locator(`#chats a[href="#/chat/${two.id}"][data-unread]`).waitFor({ timeout: 30_000 });
      await look.locator(`#chats a[href="#/chat/${two.id}"]`).click();
      await look.locator('#page-title').getByText('Elsewhere').waitFor();
      await look.locator(`#chats a[href="#/chat/${one.id}"]`).click();
      await becomes(() => look.locator('#chats [data-unread]').count(), 0, 'dots once it was seen');
      const search = look.getByRole('searchbox', { name: 'Search chats' });
      await search.fill('help');
      await look.locator(`#chats a[href="#/chat/${two.id}"]`).waitFor(); // it was shown there
      await becomes(() => look.locator(`#chats a[href="#/chat/${one.id}"]`).count(), 0, 'where it was not said');
      await search.fill('nothing has these words');
      await look.getByText('No results. Try fewer words.').waitFor();
    },
  },
];
