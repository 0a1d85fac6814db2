// Outgoing messages: shown in place before the server has them.
import { becomes, check, dark, french, narrow, same, tidy, until } from '../harness.mjs';

const field = (page) => page.getByRole('textbox', { name: 'Message' });
const bubble = (page) => page.locator('[data-outgoing]');
const mine = (page) => page.locator('[data-sender=USER]');
const posts = (path) => (url) => path.test(new URL(url).pathname);
const toSession = /^\/v1\/sessions\/[^/]+\/messages$/;
const newSession = /^\/v1\/sessions$/;

// Holds every POST to a path until released: what the page shows before does not depend on a response.
async function hold(page, path) {
  let letGo;
  const held = new Promise((done) => {
    letGo = done;
  });
  let n = 0;
  await page.route(posts(path), async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    n++;
    await held;
    return route.fallback();
  });
  return { letGo, count: () => n };
}

// Whether the message is drawn in the frame after the key press, by the page's clock.
const drawnInFrame = (page, text) =>
  page.evaluate(
    (wanted) =>
      new Promise((done) => {
        document.addEventListener(
          'keydown',
          () =>
            // A frame's callbacks run before it is painted: an element present in the next one was
            // painted in this one.
            requestAnimationFrame(() =>
              requestAnimationFrame(() =>
                done(
                  [...document.querySelectorAll('[data-outgoing]')].some(
                    (e) => e.textContent.includes(wanted) && e.getBoundingClientRect().height > 0,
                  ),
                ),
              ),
            ),
          { once: true },
        );
      }),
    text,
  );

export const steps = [
  {
    name: 'a message of a new chat is drawn with the key press, before any response',
    async run({ open, call, shot }) {
      const page = await open({ at: '/chat' });
      await field(page).waitFor();
      const session = await hold(page, newSession);
      const message = await hold(page, toSession);
      await field(page).fill('what do I have');
      const drawn = drawnInFrame(page, 'what do I have');
      await field(page).press('Enter');
      check(await drawn, 'the message is there in the frame of the key press');
      await until('the page has asked for a chat', () => session.count() === 1);
      same(await bubble(page).count(), 1, 'messages on their way');
      await page.getByRole('heading', { name: 'what do I have' }).waitFor();
      same(await field(page).isEditable(), true, 'the field stays');
      await field(page).fill('and half a thought');
      await tidy(page, 'a message on its way, new chat');
      await shot(page, 'sending-new');
      session.letGo();
      await page.waitForURL(/#\/chat\/ses_/);
      await until('the message is being sent', () => message.count() === 1);
      await bubble(page).getByText('what do I have').waitFor();
      same(await bubble(page).count(), 1, 'messages on their way, once there is a chat');
      same(await field(page).inputValue(), 'and half a thought', 'what was being written');
      await shot(page, 'sending-chat');
      message.letGo();
      await mine(page).getByText('what do I have').waitFor();
      await becomes(() => bubble(page).count(), 0, 'it is confirmed');
      same(await mine(page).count(), 1, 'my messages');
      same((await call('GET', '/v1/sessions?type=CHAT')).data.length, 1, 'chats');
    },
  },
  {
    name: 'a message of an open chat is drawn with the key press, and once only',
    async run({ open, call }) {
      const { id } = await call('POST', '/v1/sessions', { type: 'CHAT', name: 'Open', message: 'help' });
      await until('it rests', async () => (await call('GET', `/v1/sessions/${id}`)).status === 'idle');
      const page = await open({ at: `/chat/${id}` });
      await mine(page).getByText('help', { exact: true }).waitFor();
      const message = await hold(page, toSession);
      await field(page).fill('what do I have');
      const drawn = drawnInFrame(page, 'what do I have');
      await field(page).press('Enter');
      check(await drawn, 'the message is there in the frame of the key press');
      await until('it is being sent', () => message.count() === 1);
      same(await bubble(page).getAttribute('data-outgoing'), 'sending', 'its state');
      message.letGo();
      await mine(page).getByText('what do I have').waitFor();
      await becomes(() => bubble(page).count(), 0, 'it is confirmed');
      same(await mine(page).count(), 2, 'my messages');
    },
  },
  {
    name: 'the stream is faster than the reply: the message is there once',
    async run({ open, call }) {
      const { id } = await call('POST', '/v1/sessions', { type: 'CHAT', name: 'Faster', message: 'help' });
      await until('it rests', async () => (await call('GET', `/v1/sessions/${id}`)).status === 'idle');
      const page = await open({ at: `/chat/${id}` });
      await mine(page).getByText('help', { exact: true }).waitFor();
      let letGo;
      const held = new Promise((done) => {
        letGo = done;
      });
      await page.route(posts(toSession), async (route) => {
        if (route.request().method() !== 'POST') return route.fallback();
        const response = await route.fetch(); // the server stored it
        await held;
        return route.fulfill({ response });
      });
      await field(page).fill('what do I have');
      await field(page).press('Enter');
      await mine(page).getByText('what do I have').waitFor();
      same(await bubble(page).count(), 0, 'the same message as one on its way');
      letGo();
      await becomes(() => mine(page).count(), 2, 'my messages');
    },
  },
  {
    name: 'a new chat while the server is unreachable: the message stays visible, can be withdrawn, and is sent once',
    async run({ open, call, line, shot }) {
      const page = await open({ at: '/chat', ...narrow, ...dark });
      await field(page).waitFor();
      line.set('cut');
      await field(page).fill('what do I have');
      await field(page).press('Enter');
      await bubble(page).getByText('not confirmed, retrying…').waitFor();
      await tidy(page, 'a message that could not be sent yet');
      await shot(page, 'sending-away-narrow-dark');
      await bubble(page).getByRole('button', { name: 'Edit' }).click();
      same(await bubble(page).count(), 0, 'it was taken back');
      same(await field(page).inputValue(), 'what do I have', 'what was taken back');
      await field(page).fill('what do I have now');
      await field(page).press('Enter');
      await bubble(page).getByText('not confirmed, retrying…').waitFor();
      const before = (await call('GET', '/v1/sessions?type=CHAT')).data.length;
      line.set('open');
      await bubble(page)
        .getByRole('button', { name: 'Send again' })
        .click()
        .catch(() => {}); // it has just been sent automatically
      await page.waitForURL(/#\/chat\/ses_/);
      await mine(page).getByText('what do I have now').waitFor();
      same((await call('GET', '/v1/sessions?type=CHAT')).data.length, before + 1, 'chats');
    },
  },
  {
    name: 'a rejected message stays in place, with the error',
    async run({ open, call, shot }) {
      const { id } = await call('POST', '/v1/sessions', { type: 'CHAT', name: 'Refused', message: 'aide' });
      await until('it rests', async () => (await call('GET', `/v1/sessions/${id}`)).status === 'idle');
      const page = await open({ at: `/chat/${id}`, ...french });
      const own = page.getByRole('textbox', { name: 'Message' });
      await own.waitFor();
      await page.route(posts(toSession), (route) =>
        route.request().method() === 'POST'
          ? route.fulfill({
              status: 422,
              contentType: 'application/problem+json',
              body: JSON.stringify({ type: '/problems/invalid', title: 'Invalid', status: 422, code: 'invalid' }),
            })
          : route.fallback(),
      );
      await own.fill('qu’est-ce que j’ai');
      await own.press('Enter');
      await bubble(page).getByRole('button', { name: 'Modifier' }).waitFor();
      await bubble(page).getByText('non envoyé').waitFor();
      await shot(page, 'sending-refused-fr');
      await page.unroute(() => true).catch(() => {});
      await page.unrouteAll();
      await bubble(page).getByRole('button', { name: 'Renvoyer' }).click();
      await mine(page).getByText('qu’est-ce que j’ai').waitFor();
      await becomes(() => bubble(page).count(), 0, 'it was sent');
    },
  },
];
