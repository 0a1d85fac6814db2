import { becomes, check, dark, french, narrow, same, tidy, until } from '../harness.mjs';

// An AI whose answer depends on the wording, and a second provider.
async function ai(call) {
  await call('POST', '/v1/providers', {
    name: 'Script',
    kind: 'script',
    is_default: true,
    config: {
      steps: [
        {
          when: { contains: 'zone', roundtrip: 1 },
          answer: { calls: [{ name: 'CREATE_ZONE', arguments: { name: 'Work' } }] },
        },
        { when: { contains: 'zone' }, answer: { text: 'The zone is made.' } },
        {
          when: { contains: 'every day' },
          answer: { text: 'All is well.', calls: [{ name: 'COMPLETE', arguments: {} }] },
        },
        { when: { contains: 'shorter' }, answer: { text: 'Soup.' } },
        { answer: { text: 'A soup of leeks and potatoes.' } },
      ],
    },
  });
  return call('POST', '/v1/providers', {
    name: 'Another',
    kind: 'script',
    config: { steps: [{ answer: { text: 'Noodles with basil.' } }] },
  });
}

const rest = (call, id) =>
  until('the session rests', async () => (await call('GET', `/v1/sessions/${id}`)).status === 'idle');

async function answered(call, text) {
  const chat = await call('POST', '/v1/sessions', { type: 'CHAT', name: 'Dinner', message: text });
  await until('it is answered', async () => {
    const { data } = await call('GET', `/v1/sessions/${chat.id}/messages?order=desc&limit=1`);
    return data[0]?.sender === 'AI';
  });
  await rest(call, chat.id);
  return chat.id;
}

const answers = (page) => page.locator('[data-sender=AI] [data-text]').allTextContents();
const ask = async (page) => {
  await page.locator('[data-act=again]').last().click();
  await page.locator('[data-again-with=form]').click();
  await page.locator('[data-again]').waitFor();
};

export const steps = [
  {
    name: 'an answer is requested again, from another provider and reworded, and one is selected',
    async run({ open, call, shot }) {
      const other = await ai(call);
      const id = await answered(call, 'What shall I cook?');
      const page = await open({ at: `/chat/${id}` });
      await becomes(() => answers(page), ['A soup of leeks and potatoes.'], 'the first answer');
      same(await page.locator('[data-tries]').count(), 0, 'there is nothing to choose yet');
      await ask(page);
      await tidy(page, 'the form to ask again');
      await shot(page, 'again-form');
      await page.locator('[data-again] select').selectOption(other.id);
      await page.locator('[data-again] button[type=submit]').click();
      await becomes(() => answers(page), ['Noodles with basil.'], 'the second answer');
      await page.getByText('2 / 2').waitFor();
      await rest(call, id);
      await ask(page);
      await page.locator('[data-again] textarea').fill('What shall I cook? Say it shorter.');
      await page.locator('[data-again] button[type=submit]').click();
      await becomes(() => answers(page), ['Soup.'], 'the third answer');
      await page.getByText('3 / 3').waitFor();
      await page.getByRole('button', { name: 'Previous answer' }).click();
      await becomes(() => answers(page), ['Noodles with basil.'], 'the one before');
      await tidy(page, 'an earlier answer');
      await shot(page, 'again-earlier');
      await page.getByRole('button', { name: 'Previous answer' }).click();
      await page.getByText('1 / 3').waitFor();
      // The actions of the answer are in the same line.
      const line = page.locator('footer[data-tries]');
      await line.locator('[data-model]').waitFor();
      await line.getByRole('button', { name: 'Copy' }).waitFor();
      await page.getByRole('button', { name: 'Use this one' }).click();
      await until('it is the current one', async () => {
        const { data } = await call('GET', `/v1/sessions/${id}/messages`);
        return data[1].status === 'stored' && data.at(-1).status === 'superseded';
      });
      await becomes(() => page.getByRole('button', { name: 'Use this one' }).count(), 0, 'it was chosen');
      await page.reload();
      await becomes(() => answers(page), ['A soup of leeks and potatoes.'], 'after a reload');
      same(page.bad, [], 'nothing was thrown');
      const small = await open({ at: `/chat/${id}`, ...dark, ...narrow, ...french });
      await small.getByText('1 / 3').waitFor();
      await tidy(small, 'the answers, small and in French');
      await shot(small, 'again-dark-narrow-fr');
    },
  },
  {
    name: 'a question with a file is reworded, and keeps its file',
    async run({ open, call, shot }) {
      await ai(call);
      const page = await open({ at: '/chat', ...dark, ...narrow, ...french });
      await page.locator('[data-attach]').setInputFiles({
        name: 'liste des courses.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('milk'),
      });
      await page.locator('[data-attached] [data-file]').waitFor();
      await page.locator('#message').fill('What shall I cook?');
      await page.locator('#message').press('Enter');
      await becomes(() => answers(page), ['A soup of leeks and potatoes.'], 'the first answer');
      const id = page.url().split('/').at(-1).split('?')[0];
      await rest(call, id);
      const given = async () => {
        const { data } = await call('GET', `/v1/sessions/${id}/messages?limit=200`);
        const said = data.filter((m) => m.sender === 'USER').at(-1).rich_content;
        return [said.segments.map((s) => s.text ?? s.type).join(), data.at(-1).ai_raw?.prompt_files?.[0]?.as ?? ''];
      };
      await ask(page);
      const form = page.locator('[data-again]');
      same(
        await form.locator('textarea').inputValue(),
        'What shall I cook?',
        'the words, without what stands for the file',
      );
      await form.locator('[data-fact=words]').getByText('La question est la même').waitFor();
      await form.locator('[data-kept-files]').getByText('liste des courses.txt').waitFor();
      await form.locator('textarea').fill('What shall I cook? Say it shorter.');
      await tidy(page, 'the form to ask again, with a file');
      await shot(page, 'again-file');
      await form.locator('button[type=submit]').click();
      await becomes(() => answers(page), ['Soup.'], 'the second answer');
      await rest(call, id);
      same(await given(), ['What shall I cook? Say it shorter.,file', 'text'], 'the file is read again');
      // In place, too; and a removed file is not sent.
      await page.locator('[data-act=edit]').last().click();
      await page.locator('[data-editing] [data-kept-files]').waitFor();
      await tidy(page, 'a message that is edited, with a file');
      await shot(page, 'edit-file');
      await page.locator('[data-kept-files] button').click();
      await becomes(() => page.locator('[data-kept-files]').count(), 0, 'the file that was taken out');
      await page.locator('[data-editing] button[type=submit]').click();
      await until(
        'it is answered without the file',
        async () => (await given()).join() === 'What shall I cook? Say it shorter.,',
      );
    },
  },
  {
    name: 'the changes of a round are shown before it is repeated',
    async run({ open, call, shot }) {
      await ai(call);
      const id = await answered(call, 'make a zone');
      const page = await open({ at: `/chat/${id}` });
      await becomes(() => answers(page), ['The zone is made.'], 'the answer');
      await ask(page);
      await page.locator('[data-again] button[type=submit]').click();
      await page.locator('[data-effects="1"]').waitFor();
      await page.getByText('Added the zone').last().waitFor();
      await tidy(page, 'what stays changed');
      await shot(page, 'again-effects');
      await page.getByRole('button', { name: 'Answer again anyway' }).click();
      await page.getByText('2 / 2').waitFor();
      const { data } = await call('GET', `/v1/sessions/${id}/messages?limit=200`);
      check(
        data.some((m) => m.system_message?.type === 'GUIDANCE'),
        'the AI receives the changes that remain',
      );
    },
  },
  {
    name: 'a chat is forked from a message, and a run is continued as a chat',
    async run({ open, call, shot }) {
      await ai(call);
      const id = await answered(call, 'What shall I cook?');
      const page = await open({ at: `/chat/${id}` });
      await page.locator('[data-sender=AI] [data-act=fork]').click();
      await page.locator('[data-system=FORKED]').waitFor();
      check(!page.url().includes(id), 'it is another chat');
      await becomes(() => answers(page), ['A soup of leeks and potatoes.'], 'what it begins with');
      const here = page.locator('#chats a[aria-current=page]');
      await here.getByRole('img', { name: 'continues another chat' }).waitFor(); // both have the same name
      await tidy(page, 'a fork');
      await shot(page, 'fork');
      await page.locator('[data-system=FORKED] a').click();
      await until('the link leads back', () => page.url().includes(id));
      const order = await call('POST', '/v1/automations', {
        name: 'Watch',
        enabled: true,
        seed: { text: 'look every day' },
      });
      const { session } = await call('POST', `/v1/automations/${order.id}/execute`);
      const { holder } = await call('GET', '/v1/slot');
      if (holder && holder.id !== session.id) await call('POST', `/v1/sessions/${holder.id}/release`);
      await until(
        'the run ends',
        async () => (await call('GET', `/v1/sessions/${session.id}`)).status === 'ended',
        30_000,
      );
      const run = await open({ at: `/chat/${session.id}`, ...french });
      await run.locator('[data-act=as-chat]').click();
      await run.locator('[data-system=FORKED]').waitFor();
      await tidy(run, 'a run continued as a chat');
      await shot(run, 'fork-of-run-fr');
      same(run.bad, [], 'nothing was thrown');
    },
  },
];
