import { becomes, check, dark, french, narrow, none, same, tidy, until } from '../harness.mjs';
import { Model } from '../model.mjs';

export const env = { FERMATA_ALLOWED_HOSTS: '127.0.0.1/32' };

// ---- what the steps share --------------------------------------------------------

const field = (page) => page.locator('#message');
const say = async (page, text) => {
  await field(page).fill(text);
  await field(page).press('Enter');
};
const idOf = (page) =>
  until('the chat has an address', () => page.evaluate(() => /#\/chat\/(ses_\w+)/.exec(location.hash)?.[1]));
const record = async (call, id) => (await call('GET', `/v1/sessions/${id}/messages?limit=200`)).data;
const streamed = async (page) =>
  (
    await page
      .locator('[data-live] [data-text]')
      .textContent({ timeout: 300 })
      .catch(() => '')
  ).length;
const streams = (page, more = 40) => until('text streams', async () => (await streamed(page)) > more);

async function rests(page, call) {
  const id = await idOf(page);
  await until(
    'the session rests',
    async () => {
      if ((await call('GET', `/v1/sessions/${id}`)).status !== 'idle') return false;
      const { data } = await call('GET', `/v1/sessions/${id}/messages?order=desc&limit=1`);
      return data.length > 0 && data[0].status !== 'queued' && data[0].sender !== 'USER';
    },
    40_000,
  );
  await until('the page shows that it rests', () =>
    page.evaluate(() => (document.querySelector('[data-phase]')?.dataset.phase ?? 'IDLE') === 'IDLE'),
  );
  return id;
}

// exact compares the answers that the page shows with the stored ones, character by character.
async function exact(page, call, id) {
  const stored = (await record(call, id))
    .filter((m) => m.sender === 'AI')
    .map((m) => [m.ai_message?.pre_text, m.text_content].filter(Boolean).join('\n\n'))
    .filter((x) => x.trim());
  const plain = (s) =>
    s
      .replace(/^[-*] /gm, '')
      .replace(/\*\*|`/g, '')
      .replace(/\s+/g, '');
  const shown = page.locator('[data-sender=AI]:not([data-live]) [data-text]');
  await until('all answers are shown', async () => (await shown.count()) === stored.length);
  const texts = await shown.allTextContents();
  stored.forEach((text, i) => same(plain(texts[i]), plain(text), `answer ${i + 1}`));
}

const newChat = async (open, options) => {
  const page = await open({ ...options, at: '/chat' });
  await field(page).waitFor();
  return page;
};

async function withModel(call, answer, run) {
  const model = await new Model(answer).open();
  const before = (await call('GET', '/v1/providers')).data.find((p) => p.is_default);
  const provider = await model.serve(call);
  try {
    return await run(model, provider);
  } finally {
    if (before) await call('PATCH', `/v1/providers/${before.id}`, { is_default: true });
    model.close();
  }
}

// measure records the page's long tasks, and the event timing of keys and clicks.
const measure = (page) =>
  page.evaluate(() => {
    window.tasks = [];
    window.presses = [];
    const watch = (into, options) =>
      new PerformanceObserver((list) => {
        for (const e of list.getEntries()) if (!options.type || e.interactionId) into.push(Math.round(e.duration));
      }).observe(options);
    watch(window.tasks, { entryTypes: ['longtask'] });
    watch(window.presses, { type: 'event', durationThreshold: 16 });
  });

// ---- the steps -------------------------------------------------------------------

export const steps = [
  {
    name: 'a new chat focuses the message field, and a table in an answer breaks no word',
    async run({ open, call }) {
      const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
      const row = (cells) => `| ${cells.join(' | ')} |`;
      const table = [row(days), row(days.map(() => '---')), row(days.map((d) => `unabbreviated${d}`))].join('\n');
      const model = await new Model(() => table).open();
      try {
        await model.serve(call);
        const page = await open({ at: '/chat' });
        await until('the field has the focus', () => field(page).evaluate((f) => f === document.activeElement));
        await page.keyboard.type('Show my week');
        await page.keyboard.press('Enter');
        const cell = page.locator('.md td').first();
        await cell.waitFor();
        const lines = await cell.evaluate(
          (td) => td.getBoundingClientRect().height / parseFloat(getComputedStyle(td).lineHeight),
        );
        check(lines < 2, `a word of a cell stands on ${lines} lines`);
        await tidy(page, 'a wide table');
      } finally {
        model.close();
      }
    },
  },
  {
    name: 'a first message on an empty server, and its answer streams, exact at the end',
    async run({ open, call, demo, shot }) {
      await demo({ word_delay_ms: 20 });
      const page = await newChat(open);
      await page.getByRole('button', { name: 'help' }).waitFor();
      await tidy(page, 'a new chat');
      await shot(page, 'chat-new');
      await page.getByRole('button', { name: 'help' }).click();
      await becomes(() => field(page).inputValue(), 'help', 'the field');
      await field(page).press('Enter');
      await streams(page);
      const phase = await page.locator('[data-words]').textContent();
      check(/Thinking|Writing/.test(phase), `the phase was shown as ${phase}`);
      await until('finished sentences are announced', async () =>
        /no AI model\./.test(await page.locator('#announce').textContent()),
      );
      await shot(page, 'chat-streaming');
      const id = await rests(page, call);
      await exact(page, call, id);
      await becomes(() => page.evaluate(() => document.activeElement.id), 'message', 'the focus');
      await page.locator(`#chats a[href="#/chat/${id}"][aria-current=page]`).waitFor();
      await tidy(page, 'an answer');
    },
  },
  {
    name: 'a reload in mid-answer: nothing lost, nothing duplicated, one call',
    async run({ open, call, demo }) {
      await demo({ word_delay_ms: 25 });
      const page = await newChat(open);
      await say(page, 'help');
      await streams(page, 80);
      await page.reload();
      await streams(page, 120);
      const id = await rests(page, call);
      await exact(page, call, id);
      same((await record(call, id)).filter((m) => m.sender === 'USER').length, 1, 'messages');
    },
  },
  {
    name: 'files are chosen, pasted and dropped, rejected at the file, sent, and shown',
    async run({ open, call, demo, shot }) {
      await demo({});
      const page = await newChat(open);
      const picture = await page.evaluate(async () => {
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [320, 200];
        const ink = canvas.getContext('2d');
        ink.fillStyle = '#26a';
        ink.fillRect(0, 0, 320, 200);
        ink.fillStyle = '#fc3';
        ink.fillRect(40, 40, 100, 100);
        return canvas.toDataURL('image/png').split(',')[1];
      });
      const choose = (name, buffer) =>
        page.locator('[data-attach]').setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
      const chips = page.locator('[data-attached] [data-file]');
      await choose('square.png', Buffer.from(picture, 'base64'));
      await becomes(() => chips.count(), 1, 'the chosen file');
      const give = (kind) =>
        page.evaluate((type) => {
          const data = new DataTransfer();
          data.items.add(new File([`a text that was ${type === 'paste' ? 'pasted' : 'dropped'}`], `${type}.txt`));
          const at = document.querySelector('#message');
          at.dispatchEvent(
            type === 'paste'
              ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
              : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }),
          );
        }, kind);
      await give('paste');
      await becomes(() => chips.count(), 2, 'the pasted file');
      await give('drop');
      await becomes(() => chips.count(), 3, 'the dropped file');
      await choose('program.exe', Buffer.from([0x4d, 0x5a, 0, 1, 2, 0xff]));
      const refused = page.locator('[data-upload=failed]');
      await refused.getByText(/neither a picture/).waitFor();
      await refused.getByRole('button').click();
      await becomes(() => refused.count(), 0, 'what was refused');
      await field(page).fill('What is this?');
      await page.reload();
      await becomes(() => chips.count(), 3, 'the files after a reload');
      await until('the preview is shown', async () => (await page.locator('img[data-picture=shown]').count()) === 1);
      await tidy(page, 'files of a draft');
      await shot(page, 'chat-files-draft');
      await field(page).press('Enter');
      const id = await rests(page, call);
      const mine = page.locator('[data-sender=USER]');
      await until('the picture is shown', async () => (await mine.locator('img[data-picture=shown]').count()) === 1);
      same(await mine.locator('[data-file]').count(), 3, 'files in the message');
      check(
        /“square\.png”: a picture of 320 × 200/.test(await page.locator('[data-sender=AI]').innerText()),
        'the demo got it',
      );
      same((await record(call, id))[0].rich_content.segments.filter((s) => s.type === 'file').length, 3, 'stored');
      await tidy(page, 'files in a chat');
      await shot(page, 'chat-files');
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        mine.getByRole('button', { name: /paste\.txt/ }).click(),
      ]);
      same(file.suggestedFilename(), 'paste.txt', 'its name');
      // The files that the AI received are listed at that answer: shown now, by name only later.
      const before = async () => {
        await page.locator('[data-sender=AI]').last().getByRole('button', { name: '3 files before the AI' }).click();
        return page.locator('[data-sender=AI] [data-prompt-files]').last();
      };
      const shown = (list) => list.locator('li').evaluateAll((all) => all.map((li) => li.dataset.as));
      const first = await before();
      same(await shown(first), ['picture', 'text', 'text'], 'as what they were given');
      await first.getByText(/square\.png seen as a picture · about \d+ tokens/).waitFor();
      await tidy(page, 'files before the AI');
      await shot(page, 'chat-files-before');
      await say(page, 'help');
      await until(
        'it is answered again',
        async () => (await record(call, id)).filter((m) => m.sender === 'AI').length > 1,
      );
      await rests(page, call);
      const second = await before();
      same(await shown(second), ['reference', 'text', 'text'], 'as what they were given later');
      await second.getByText(/by name only: seen earlier/).waitFor();
      await page.locator('[data-sender=AI]').last().getByRole('link', { name: 'Timeline' }).click();
      const why = page.locator('[data-waits]');
      await why.getByText('Files before the AI at its latest answer:').waitFor();
      same(await shown(why), ['reference', 'text', 'text'], 'what explains the session');
      await page.locator('[data-kind="call"]').first().click();
      await page.getByRole('button', { name: 'Show the raw answer and its files' }).click();
      await becomes(
        () => shown(page.locator('[data-details]')),
        ['picture', 'text', 'text'],
        'at the call in the timeline',
      );
      await tidy(page, 'files of a call');
      await shot(page, 'timeline-files');
    },
  },
  {
    name: 'files in French, on a small and dark screen',
    async run({ open, call, demo, shot }) {
      await demo({});
      const page = await newChat(open, { ...french, ...narrow, ...dark });
      await page.locator('[data-attach]').setInputFiles({
        name: 'un nom de fichier plutôt long, comme on en trouve partout.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('Bonjour'),
      });
      await page.getByRole('list', { name: 'Fichiers de ce message' }).waitFor();
      await page.locator('[data-attached] [data-file]').waitFor();
      await tidy(page, 'a file in French');
      await field(page).fill('Regarde');
      await field(page).press('Enter');
      await rests(page, call);
      await page.locator('[data-sender=USER] [data-file]').waitFor();
      await page.getByRole('button', { name: '1 fichier devant l’IA' }).click();
      await page.getByText(/lu comme texte · environ \d+ jetons/).waitFor();
      await tidy(page, 'a message with a file in French');
      await shot(page, 'chat-files-narrow');
    },
  },
  {
    name: 'two messages are queued: one is edited, one is withdrawn and returns to the field',
    async run({ open, call, demo, endless, shot }) {
      // The first answer streams until the test is done with the queued messages.
      const model = await endless();
      const page = await newChat(open);
      await say(page, 'help');
      await streams(page, 10);
      await demo({ word_delay_ms: 5 }); // the model for the next answer
      await say(page, 'what do I have');
      await say(page, 'search for plumber');
      await page.getByRole('button', { name: '2 queued' }).click();
      await until('both wait', async () => (await page.locator('[data-queued] li').count()) === 2);
      await shot(page, 'chat-queued');
      await page.getByRole('button', { name: 'Withdraw the message “search for plumber”' }).click();
      await becomes(() => field(page).inputValue(), 'search for plumber', 'the text is back');
      await page.getByRole('button', { name: 'Edit the message “what do I have”' }).click();
      await page.getByRole('textbox', { name: 'The waiting message' }).fill('create a zone Garden');
      await page.getByRole('button', { name: 'Save' }).click();
      await until('the waiting message is the new one', async () =>
        /create a zone Garden/.test(await page.locator('[data-queued]').textContent()),
      );
      await page.reload();
      await becomes(() => field(page).inputValue(), 'search for plumber', 'the draft after a reload');
      model.finish();
      const id = await rests(page, call);
      same(
        (await record(call, id)).filter((m) => m.sender === 'USER').map((m) => m.rich_content.linear_text),
        ['help', 'create a zone Garden'],
        'what was said',
      );
      await page.locator('[data-command=CREATE_ZONE][data-status=SUCCESS]').waitFor();
      await exact(page, call, id);
    },
  },
  {
    name: 'a change is approved in the chat by keyboard, and a question is answered there',
    async run({ open, call, demo, shot }) {
      await demo({ word_delay_ms: 5 });
      await call('PATCH', '/v1/settings', { require_validation: true });
      const page = await newChat(open);
      await say(page, 'create a zone Kitchen');
      const card = page.locator('[data-approval]');
      await card.getByText('Kitchen').first().waitFor();
      await until('the phase says it', async () =>
        /Waiting for your approval/.test(await page.locator('[data-words]').textContent()),
      );
      check(
        !(await call('GET', '/v1/zones')).data.some((z) => z.name === 'Kitchen'),
        'nothing was changed before the yes',
      );
      await tidy(page, 'an approval');
      await shot(page, 'chat-approval');
      await card
        .getByRole('button', { name: /^Approve/ })
        .first()
        .focus();
      await page.keyboard.press('Enter');
      const id = await rests(page, call);
      await page.locator('[data-command=CREATE_ZONE][data-status=SUCCESS]').waitFor();
      check(
        (await call('GET', '/v1/zones')).data.some((z) => z.name === 'Kitchen'),
        'it was made after the yes',
      );
      await call('PATCH', '/v1/settings', { require_validation: false });
      await say(page, 'ask me something');
      const question = page.locator('[data-approval][data-status=open]');
      await question.getByRole('radio').first().check();
      await page.reload();
      await question.getByRole('radio').first().check();
      await shot(page, 'chat-question');
      await question.getByRole('button', { name: 'Send the answer' }).click();
      await rests(page, call);
      await exact(page, call, id);
    },
  },
  {
    name: 'Stop stops, Escape only when pressed twice; the partial answer is kept',
    async run({ open, call, demo }) {
      await demo({ word_delay_ms: 40 });
      const page = await newChat(open);
      await say(page, 'help');
      await streams(page, 60);
      await page.getByRole('button', { name: 'Stop' }).click();
      const id = await rests(page, call);
      await page.locator('[data-mark=interrupted]').waitFor();
      await say(page, 'help');
      await streams(page, 60);
      await field(page).press('Escape');
      await page.getByText('Press Escape again to stop').first().waitFor();
      check((await call('GET', `/v1/sessions/${id}`)).status === 'running', 'once does not stop');
      await field(page).press('Escape');
      await rests(page, call);
      await until(
        'both say that they were interrupted',
        async () => (await page.locator('[data-mark=interrupted]').count()) === 2,
      );
      await exact(page, call, id);
    },
  },
  {
    name: 'a draft survives a reload, and each chat has its own',
    async run({ open, call, demo }) {
      await demo({ word_delay_ms: 0 });
      const page = await newChat(open);
      await say(page, 'what do I have');
      await rests(page, call);
      await field(page).fill('half a thought');
      await page.getByRole('link', { name: 'New chat' }).click();
      await becomes(() => field(page).inputValue(), '', 'the field of a new chat');
      await field(page).fill('another');
      await page.reload();
      await becomes(() => field(page).inputValue(), 'another', 'the draft of the new chat');
      await page.locator('#chats').getByText('draft').waitFor();
      await page.goBack();
      await becomes(() => field(page).inputValue(), 'half a thought', 'the draft of the first chat');
    },
  },
  {
    name: 'the connection is lost: the message is stored, sent once, and the text is complete',
    async run({ open, call, demo, line }) {
      await demo({ word_delay_ms: 40 });
      const page = await newChat(open);
      await say(page, 'help');
      await streams(page);
      line.set('cut');
      await page.locator('#net.shown').waitFor();
      await say(page, 'what do I have');
      await page.locator('[data-outgoing]').getByText('not confirmed, retrying…').waitFor();
      const at = page.url();
      const later = await page.context().newPage();
      await page.close(); // then the tab is closed
      line.set('open');
      await later.goto(at);
      const id = await rests(later, call);
      await until(
        'the message arrived',
        async () => (await record(call, id)).filter((m) => m.sender === 'USER').length === 2,
      );
      await rests(later, call);
      await until('nothing is on its way', async () => (await later.locator('[data-outgoing]').count()) === 0);
      same((await record(call, id)).filter((m) => m.sender === 'USER').length, 2, 'messages');
      await exact(later, call, id);
    },
  },
  {
    name: 'a message sent while a proxy responds 503 is stored and sent once, and later input is kept',
    async run({ open, call, demo, line, shot }) {
      await demo({ word_delay_ms: 0 });
      const page = await newChat(open);
      await say(page, 'help');
      const id = await rests(page, call);
      line.set('503');
      await page.locator('#net.shown').waitFor();
      await field(page).pressSequentially('what do I have');
      await field(page).press('Enter');
      await page.locator('[data-outgoing]').getByText('not confirmed, retrying…').waitFor();
      await field(page).pressSequentially('and half a thought');
      await shot(page, 'chat-typed-under-503');
      line.set('open');
      await until('it arrived', async () => (await record(call, id)).filter((m) => m.sender === 'USER').length === 2);
      await rests(page, call);
      await becomes(() => page.locator('[data-outgoing]').count(), 0, 'nothing is on its way');
      same(await field(page).inputValue(), 'and half a thought', 'what was typed and not sent');
      await page.reload();
      await becomes(() => field(page).inputValue(), 'and half a thought', 'what was typed, after a reload');
      same(
        (await record(call, id)).filter((m) => m.sender === 'USER').map((m) => m.rich_content.linear_text),
        ['help', 'what do I have'],
        'what was said',
      );
    },
  },
  {
    name: 'the model’s text cannot escape its place; an answer that breaks off is void, and is retried',
    async run({ open, call, shot }) {
      let cut = 5;
      const bad =
        'Look <img src=x onerror="window.broken=1"> <script>window.broken=2</script> ![p](https://evil.test/p.png) [x](javascript:window.broken=3)\n\n<iframe src="https://evil.test"></iframe>\n\n**end**';
      await withModel(
        call,
        () => ({ text: bad, rate: 60, cut }),
        async () => {
          const page = await newChat(open);
          await say(page, 'hello');
          await page.locator('[data-system=NETWORK_ERROR]').waitFor();
          same(await page.locator('[data-live]').count(), 0, 'streamed text that is void');
          await shot(page, 'chat-network-error');
          cut = Infinity;
          await page.getByRole('button', { name: 'Try again' }).click();
          await page.locator('[data-sender=AI] strong').waitFor();
          await rests(page, call);
          check(
            await page.evaluate(
              () =>
                window.broken === undefined &&
                !document.querySelector('iframe, [data-sender=AI] img, [data-sender=AI] script'),
            ),
            'nothing broke out',
          );
          await page.getByText('image not loaded').waitFor();
        },
      );
    },
  },
  {
    name: 'data is referenced by @ with the keyboard, with a preview for the AI, and sent with the message',
    async run({ open, call, demo, shot }) {
      await demo({ word_delay_ms: 0 });
      const zone = await call('POST', '/v1/zones', { name: 'Wellness' });
      const tool = await call('POST', '/v1/tools', {
        zone_id: zone.id,
        tool_type: 'tracking',
        name: 'Rest',
        config: { unit: 'h' },
      });
      await call('POST', `/v1/tools/${tool.id}/entries`, { data: { value: 7 } });
      const page = await newChat(open);
      await field(page).pressSequentially('how is @');
      const search = page.getByRole('combobox', { name: 'Zone, tool or type' });
      await search.waitFor();
      await page.getByRole('option', { name: /Measurements/ }).waitFor(); // as in Data, in the page's language
      await search.pressSequentially('rest');
      await page.getByRole('option', { name: /Rest/ }).first().waitFor();
      await tidy(page, 'the picker');
      await shot(page, 'chat-picker');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await becomes(() => field(page).inputValue(), 'how is @[Rest] ', 'the text');
      await becomes(() => page.evaluate(() => document.activeElement.id), 'message', 'the focus');
      await page.getByRole('combobox', { name: 'Period of Rest' }).selectOption('week');
      await page.getByRole('button', { name: 'What the AI gets' }).click();
      await page.locator('[data-preview]').getByText('TOOL_DATA').first().waitFor();
      await tidy(page, 'a reference');
      await shot(page, 'chat-reference');
      await page.reload();
      await page.locator('[data-enrichment=USE]').waitFor(); // it is part of the draft
      await field(page).press('Enter');
      const id = await rests(page, call);
      const [said] = await record(call, id);
      same(
        said.rich_content.segments.map((s) => s.type),
        ['text', 'enrichment'],
        'what was sent',
      );
      same(said.rich_content.segments[1].enrichment.config.tool_id, tool.id, 'what it refers to');
      await page.locator('[data-reads] > summary').click();
      await page.locator('[data-command=TOOL_STATS]').waitFor();
      await exact(page, call, id);
    },
  },
  {
    name: 'a chat is renamed, pinned, archived and deleted, also from another tab',
    async run({ open, call, demo }) {
      await demo({ word_delay_ms: 0 });
      const page = await newChat(open);
      await say(page, 'what do I have');
      const id = await rests(page, call);
      const more = async (name) => {
        await page.getByRole('button', { name: 'More' }).click();
        await page.getByRole('button', { name }).click();
      };
      await more('Rename');
      await page.getByLabel('Name', { exact: true }).fill('Mine <b>');
      await page.keyboard.press('Enter');
      await becomes(() => page.locator('#page-title').textContent(), 'Mine <b>', 'the name');
      await more('Pin');
      await until('it is pinned', async () => (await call('GET', `/v1/sessions/${id}`)).pinned);
      await page.locator('#chats').getByRole('img', { name: 'pinned' }).waitFor();
      const file = page.waitForEvent('download');
      await more('Download as Markdown');
      same((await file).suggestedFilename(), 'Mine-b-.md', 'the file');
      await field(page).fill('are you there');
      await call('DELETE', `/v1/sessions/${id}`);
      await page.getByText('This chat was deleted').waitFor();
      await tidy(page, 'a chat that is gone');
      await page.getByRole('button', { name: 'Write it in a new chat' }).click();
      await becomes(() => field(page).inputValue(), 'are you there', 'what was written is not lost');
      await say(page, 'what do I have');
      const other = await rests(page, call);
      await more('Delete');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { name: 'What can I do for you?' }).waitFor();
      check((await fetch(`${new URL(page.url()).origin}/v1/sessions/${other}`)).status === 404, 'it is deleted');
      await becomes(() => field(page).inputValue(), '', 'the field'); // the message of the other chat is not here
    },
  },
  {
    name: 'a chat takes the slot of a run, and both show it with a link to the other',
    async run({ open, call, shot }) {
      const { holder } = await call('GET', '/v1/slot');
      // An idle chat keeps the slot for five minutes.
      if (holder) await call('POST', `/v1/sessions/${holder.id}/stop`);
      await withModel(
        call,
        // The run's call continues without the slot; its answer waits for the chat.
        ({ messages }) =>
          JSON.stringify(messages.at(-1)).includes('hello')
            ? { text: 'word '.repeat(2000), rate: 20 }
            : { text: 'word '.repeat(80), rate: 20 },
        async () => {
          const automation = await call('POST', '/v1/automations', {
            name: 'Nightly',
            enabled: false,
            seed: { text: 'write' },
          });
          const { session: run } = await call('POST', `/v1/automations/${automation.id}/execute`);
          const page = await open({ at: `/chat/${run.id}` });
          await page.locator('[data-phase=CALLING_AI]').waitFor();
          await page.getByText('takes no messages').waitFor();
          const chat = await newChat(open);
          await say(chat, 'hello');
          await chat.locator('[data-slot=took]').waitFor();
          await page.locator('[data-slot=aside]').getByRole('link', { name: 'hello' }).waitFor();
          await page.getByRole('button', { name: 'Why?' }).click();
          await page.locator('[data-explain] p').first().waitFor();
          await tidy(page, 'a run that was set aside');
          await shot(page, 'chat-set-aside');
          await shot(chat, 'chat-took');
          await chat.locator('[data-slot=took]').getByRole('link').click();
          await becomes(() => chat.evaluate(() => location.hash), `#/chat/${run.id}`, 'the run');
          await chat.getByRole('button', { name: /Stop this run/ }).click();
          await chat.getByRole('dialog').getByRole('button', { name: 'Stop it' }).click();
          await until('it has ended', async () => (await call('GET', `/v1/sessions/${run.id}`)).status === 'ended');
        },
      );
    },
  },
  {
    name: 'names of ten thousand letters and messages of a megabyte break nothing',
    async run({ open, call, demo }) {
      await demo({ word_delay_ms: 0 });
      const page = await newChat(open, narrow);
      const long = `${'word '.repeat(15_000)}end`;
      await say(page, long);
      const id = await rests(page, call);
      await page
        .getByRole('button', { name: /Show all of it/ })
        .first()
        .waitFor();
      await field(page).evaluate((e, text) => {
        Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set.call(e, text);
        e.dispatchEvent(new Event('input', { bubbles: true }));
      }, 'x'.repeat(1_000_000));
      await field(page).press('Enter');
      await page.getByText('at most 100,000').waitFor();
      same((await record(call, id)).filter((m) => m.sender === 'USER').length, 1, 'messages');
      await field(page).fill('');
      await call('PATCH', `/v1/sessions/${id}`, { name: 'n'.repeat(10_000) }).catch(() =>
        call('PATCH', `/v1/sessions/${id}`, { name: 'n'.repeat(200) }),
      );
      await until('the name is shown', async () => /nnnn/.test(await page.locator('#page-title').textContent()));
      await tidy(page, 'a long name');
    },
  },
  {
    name: 'two thousand messages: the end while streaming, older ones on scrolling up, only nearby ones in the page',
    lasts: 240_000, // a thousand answers are streamed first
    async run({ open, call, shot }) {
      const words = 'The quick brown fox jumps over the lazy dog, **again** and `again`, until the evening comes. ';
      let rate = 0;
      await withModel(
        call,
        (asked) =>
          rate
            ? {
                text: `# Report\n\n${`${words.repeat(3)}\n\n`.repeat(30)}- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |`,
                rate,
              }
            : `${asked.messages.length}: ${words.repeat(2)}`,
        async () => {
          await call('PATCH', '/v1/settings', {
            limits: { chat: { context_budget_tokens: 2_000_000, max_tokens_per_round: null } },
          });
          const session = await call('POST', '/v1/sessions', { name: 'Long' });
          for (let i = 0; i < 1000; i += 40) {
            // queued ones are answered one by one
            for (let j = i; j < i + 40; j++)
              await call('POST', `/v1/sessions/${session.id}/messages`, { text: `message ${j}`, if_busy: 'enqueue' });
            await until(
              'they are answered',
              async () =>
                (await call('GET', `/v1/sessions/${session.id}`)).status === 'idle' &&
                (await call('GET', `/v1/sessions/${session.id}/messages?order=desc&limit=1`)).data[0].status ===
                  'stored',
              60_000,
            );
          }
          const page = await open({ at: `/chat/${session.id}` });
          await page.getByText('message 999').waitFor();
          const opened = await page.evaluate(() => Math.round(performance.now())); // since the navigation
          await measure(page);
          // Typing with 2,000 messages: a word is typed and deleted.
          await field(page).fill('');
          await page.keyboard.type('how quick is a key here', { delay: 30 });
          await field(page).fill('');
          await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
          const presses = await page.evaluate(() => window.presses);
          rate = 100;
          await say(page, 'write a long report');
          await streams(page, 2000);
          const there = await page.evaluate(() => {
            const box = document.querySelector('section[tabindex="0"]');
            return box.scrollHeight - box.scrollTop - box.clientHeight;
          });
          check(there < 120, `the end is in sight while it streams (${there} px away)`);
          await page.evaluate(() => {
            document.querySelector('section[tabindex="0"]').scrollTop -= 1200;
          });
          await page.getByRole('button', { name: 'To the newest' }).waitFor();
          const at = await page.evaluate(() => document.querySelector('section[tabindex="0"]').scrollTop);
          const before = await streamed(page).catch(() => 0);
          await until(
            'more text came',
            async () =>
              (await call('GET', `/v1/sessions/${session.id}`)).status === 'idle' ||
              (await streamed(page)) > before + 300 ||
              (await page.locator('[data-live]').count()) === 0,
          );
          const moved = Math.abs(
            (await page.evaluate(() => document.querySelector('section[tabindex="0"]').scrollTop)) - at,
          );
          check(moved < 60, `what is read does not move (${moved} px)`);
          await rests(page, call);
          const tasks = await page.evaluate(() => window.tasks);
          const worst = Math.max(0, ...tasks);
          // Logged, not asserted: on a busy machine the times say more about the machine.
          console.log(
            `      2,000 messages: open in ${opened} ms; the slowest key ${Math.max(0, ...presses)} ms (0: below 16); long tasks while streaming: ${tasks.length}, the longest ${worst} ms; ${await page.locator('[data-key]').count()} items in the page`,
          );
          await page.getByRole('button', { name: 'To the newest' }).click();
          await until('the end is in sight', () =>
            page.evaluate(() => {
              const box = document.querySelector('section[tabindex="0"]');
              return box.scrollHeight - box.scrollTop - box.clientHeight < 40;
            }),
          );
          await page.mouse.move(800, 400);
          await until(
            'the first message is reached',
            async () => {
              await page.mouse.wheel(0, -20_000);
              return (
                (await page.getByText('Start of the chat.').count()) > 0 &&
                (await page.getByText('message 0', { exact: true }).count()) > 0
              );
            },
            40_000,
          );
          check((await page.locator('[data-key]').count()) < 80, 'only what is near is in the page');
          await tidy(page, 'a long chat');
          await shot(page, 'chat-long');
        },
      );
    },
  },
  {
    name: 'by keyboard only: into a chat, a message, the details of a command, back',
    async run({ open, call, demo }) {
      await demo({ word_delay_ms: 0 });
      const page = await newChat(open);
      const reach = (what) =>
        until(what, async () => {
          await page.keyboard.press('Tab');
          return page.evaluate((w) => document.activeElement.matches(w), what);
        });
      await reach('#message');
      await page.keyboard.type('create a zone Attic');
      await page.keyboard.press('Shift+Enter');
      await page.keyboard.type('please');
      await page.keyboard.press('Enter');
      await rests(page, call);
      await becomes(() => page.evaluate(() => document.activeElement.id), 'message', 'the focus');
      await page.locator('[data-command=CREATE_ZONE] summary').waitFor();
      await reach('[data-command=CREATE_ZONE] summary');
      await page.keyboard.press('Enter');
      await reach('[data-command=CREATE_ZONE] [data-raw] summary');
      await page.keyboard.press('Enter');
      await page.locator('[data-command=CREATE_ZONE] pre').first().waitFor();
      await page.locator('[data-command=CREATE_ZONE]').getByRole('link', { name: 'Open the zone' }).waitFor();
      await reach('#chats a');
    },
  },
  {
    name: 'French, dark, 320 pixels: tidy, and the list is behind a button',
    async run({ open, call, demo, shot }) {
      await demo({ word_delay_ms: 15 });
      for (const look of [
        { ...french, ...narrow },
        { ...french, ...dark, ...narrow },
        { ...dark, ...french },
      ]) {
        const page = await newChat(open, look);
        const name = `${look.colorScheme ?? 'light'}-${look.viewport?.width ?? 1280}`;
        await tidy(page, `nouvelle conversation ${name}`);
        await say(page, 'aide');
        await streams(page, 100);
        await tidy(page, `une réponse ${name}`);
        await shot(page, `chat-${name}`);
        await rests(page, call);
        if (look.viewport) {
          await page.getByRole('button', { name: 'Conversations', exact: true }).click();
          await page.locator('#chats a').first().waitFor();
          await tidy(page, `la liste ${name}`);
          await page.keyboard.press('Escape');
          await until('the list is gone', async () => !(await page.locator('#chats').isVisible()));
        }
        none(
          await page.evaluate(() =>
            [...document.body.innerText.matchAll(/\b[A-Z]+_[A-Z_]+\b/g)]
              .map((m) => m[0])
              .filter((w) => !w.startsWith('FERMATA')),
          ),
          'raw names on the page',
        );
      }
    },
  },
];
