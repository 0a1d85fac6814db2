import { check, none, same, until } from '../harness.mjs';

// talk creates a chat that is longer than a screen.
async function talk(call, rounds) {
  await call('POST', '/v1/providers', {
    name: 'Script',
    kind: 'script',
    is_default: true,
    config: { steps: [{ answer: { text: 'An answer in some words.\n\n```\ncode\n```\n\nAnd its end.' } }] },
  });
  const { id } = await call('POST', '/v1/sessions', { type: 'CHAT', name: 'Long talk' });
  for (let n = 1; n <= rounds; n++) {
    await call('POST', `/v1/sessions/${id}/messages`, { text: `Question ${n}` });
    await until(`question ${n} is answered`, async () => {
      const { data } = await call('GET', `/v1/sessions/${id}/messages?order=desc&limit=1`);
      return data[0]?.sender === 'AI' && (await call('GET', `/v1/sessions/${id}`)).status === 'idle';
    });
  }
  return id;
}

export const steps = [
  {
    name: 'a chat is printed completely, in order, dark on white, without controls',
    async run({ open, call, shot }) {
      const rounds = 12;
      const id = await talk(call, rounds);
      const page = await open({ at: `/chat/${id}`, colorScheme: 'dark' });
      await page.getByText(`Question ${rounds}`, { exact: true }).waitFor();
      const asked = () => page.locator('[data-sender=USER] [data-text]').allTextContents();
      check((await asked()).length < rounds, 'on the screen there is a part of it');
      await page.emulateMedia({ media: 'print' });
      await until('all of it is there', async () => (await asked()).length === rounds);
      same(
        await asked(),
        Array.from({ length: rounds }, (_, i) => `Question ${i + 1}`),
        'what is on paper',
      );
      none(
        await page
          .locator('button, nav, #message')
          .evaluateAll((all) => all.filter((e) => e.checkVisibility()).map((e) => e.outerHTML.slice(0, 80))),
        'there are controls on paper',
      );
      const tops = await page
        .locator('[data-sender=USER]')
        .evaluateAll((all) => all.map((e) => e.getBoundingClientRect().top));
      same(
        tops,
        tops.toSorted((a, b) => a - b),
        'the messages stand below one another',
      );
      const { high, seen, ground } = await page.evaluate(() => ({
        high: document.documentElement.scrollHeight,
        seen: innerHeight,
        ground: getComputedStyle(document.body).backgroundColor,
      }));
      check(high > seen, `the page is as long as the chat: ${high} px`);
      same(ground, 'rgb(247, 247, 245)', 'the ground, although the screen is dark');
      await shot(page, 'paper');
      await page.emulateMedia({ media: 'screen' });
      await until('the screen has its part again', async () => (await asked()).length < rounds);
    },
  },
];
