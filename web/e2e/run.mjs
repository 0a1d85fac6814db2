// The page in a real browser against a real server.
//
//   node run.mjs BASE_URL [--locked URL KEY] [--restart COMMAND] [--shots DIR] [--only WORD]
//
// --locked names a second server that asks for a key, --restart what kills the server
// without a warning and starts it again. The server at BASE_URL should be
// fresh: zones are made and deleted.
import { execSync } from 'node:child_process';
import { api, becomes, check, launch, Line, open, same, shots, until } from './harness.mjs';
import { contrast, labels, units } from './inside.mjs';

const [base, ...rest] = process.argv.slice(2);
const option = (name, n = 1) => { const i = rest.indexOf(name); return i < 0 ? [] : rest.slice(i + 1, i + 1 + n); };
const [lockedURL, lockedKey] = option('--locked', 2);
const [restart] = option('--restart');
const [shotDir] = option('--shots');
const [only] = option('--only');
if (!base) { console.error('usage: node run.mjs BASE_URL [--locked URL KEY] [--restart COMMAND] [--shots DIR] [--only WORD]'); process.exit(2); }

const call = api(base);
const shot = shots(shotDir);
const line = await new Line(base).open();
const browser = await launch();
const steps = [];
const step = (name, run) => steps.push({ name, run });

// ---- what the steps share --------------------------------------------------------

const answers = (page) => page.locator('.message.ai:not(.live):not(.empty) .md');
const say = async (page, text) => { await page.fill('#text', text); await page.press('#text', 'Enter'); };
const idOf = (page) => page.evaluate(() => location.hash.slice(1));

async function rests(page) {
  const id = await until('the chat has an id', () => idOf(page));
  await until('the session rests', async () => (await call('GET', `/v1/sessions/${id}`)).status === 'idle'
    && (await call('GET', `/v1/sessions/${id}/messages?limit=200`)).data.some((m) => m.sender === 'AI'));
  await until('the page shows that it rests', () => page.locator('#phase').isHidden());
  return id;
}

async function newChat(options) {
  const page = await open(browser, line.url, options);
  await page.locator('#welcome').waitFor();
  return page;
}

async function record(id) { return (await call('GET', `/v1/sessions/${id}/messages?limit=200`)).data; }

// exact compares what the page shows with what is stored, letter by letter.
async function exact(page, id) {
  const stored = (await record(id)).filter((m) => m.sender === 'AI').map((m) => [m.ai_message?.pre_text, m.text_content].filter(Boolean).join('\n\n')).filter(Boolean);
  const plain = (s) => s.replace(/^[-*] /gm, '').replace(/\*\*|`/g, '').replace(/\s+/g, '');
  await until('all answers are shown', async () => await answers(page).count() === stored.length);
  const shown = await answers(page).allTextContents();
  stored.forEach((text, i) => same(plain(shown[i]), plain(text), `answer ${i + 1}`));
}

const done = async (page) => { check(page.bad.length === 0, page.bad.join('\n')); await page.context().close(); };

// ---- the steps -----------------------------------------------------------------------

step('the parts: text with offsets, safe Markdown, cards', async () => {
  const page = await newChat();
  const wrong = await page.evaluate(units);
  check(wrong.length === 0, wrong.join('\n'));
  await done(page);
});

step('a new chat, and an answer that streams', async () => {
  const page = await newChat();
  await shot(page, 'welcome-light-1280');
  await say(page, 'help');
  const lengths = new Set();
  const words = new Set();
  await until('text streams', async () => {
    const live = page.locator('.live .md');
    if (await live.count()) lengths.add((await live.textContent({ timeout: 500 }).catch(() => '')).length);
    words.add(await page.locator('#phase-words').textContent());
    return lengths.size > 4;
  });
  check(words.has('Writes') || words.has('Thinks'), `the phase was shown as ${[...words]}`);
  await until('finished sentences are announced', async () => /no AI model\./.test(await page.locator('#announce').textContent()));
  await shot(page, 'streaming-light-1280');
  const id = await rests(page);
  await exact(page, id);
  await becomes(() => page.evaluate(() => document.activeElement.id), 'text', 'the focus');
  await until('the chat is in the list', async () => await page.locator(`#sessions a[href="#${id}"][aria-current=page]`).isVisible(), 5000);
  await done(page);
});

step('a change is approved by keyboard, and made', async () => {
  await call('PATCH', '/v1/settings', { require_validation: true });
  const page = await newChat();
  await say(page, 'create a zone Health');
  await page.locator('.ask').waitFor();
  await until('the card names the zone', async () => /Health/.test(await page.locator('.ask').innerText()), 5000);
  await until('the card gives a reason', async () => await page.locator('.ask .reasons li').count() > 0, 5000);
  await becomes(() => page.locator('#phase-words').textContent(), 'Waits for your approval', 'the phase');
  await until('the title says that a person is needed', async () => /\(1\)/.test(await page.title()), 5000);
  same((await call('GET', '/v1/zones')).data.length, 0, 'zones before the yes');
  await shot(page, 'approval-light-1280');
  await page.focus('.ask textarea');
  await page.keyboard.press('Tab');
  await becomes(() => page.evaluate(() => document.activeElement.textContent), 'Approve', 'the next stop of the Tab key');
  await page.keyboard.press('Enter');
  await page.locator('.settled[data-status=approved]').waitFor();
  const id = await rests(page);
  same((await call('GET', '/v1/zones')).data.map((z) => z.name).join(), 'Health', 'zones after the yes');
  await until('the result is shown', async () => await page.locator('.card[data-command=CREATE_ZONE][data-status=SUCCESS]').isVisible(), 5000);
  await exact(page, id);
  await done(page);
});

step('a change is refused with a comment', async () => {
  const page = await newChat();
  await say(page, 'create a zone Nonsense');
  await page.locator('.ask').waitFor();
  await page.fill('.ask textarea', 'call it Garden instead');
  await page.getByRole('button', { name: 'Refuse' }).click();
  await page.locator('.settled[data-status=refused]').waitFor();
  await until('the comment is in the record', async () => (await record(await idOf(page))).some((m) => JSON.stringify(m).includes('call it Garden instead')));
  check(!(await call('GET', '/v1/zones')).data.some((z) => z.name === 'Nonsense'), 'nothing was changed');
  await call('PATCH', '/v1/settings', { require_validation: false });
  await done(page);
});

step('questions: a choice, a form, a plan; left open over a reload', async () => {
  const page = await newChat();
  await say(page, 'ask me something');
  await page.locator('.ask input[type=radio]').first().waitFor();
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await until('an empty answer is not sent', async () => /choose or write/.test(await page.locator('.ask .error').textContent()), 5000);
  await page.reload();
  await page.locator('.ask input[type=radio]').first().check();
  await shot(page, 'question-light-1280');
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.locator('.settled').waitFor();
  await rests(page);
  await say(page, 'ask me with a form');
  await page.locator('.ask .fields').waitFor();
  await shot(page, 'form-light-1280');
  for (const field of await page.locator('.ask .fields input, .ask .fields select').all()) {
    const kind = await field.evaluate((e) => (e.tagName === 'SELECT' ? 'select' : e.type));
    if (kind === 'select') await field.selectOption({ index: 1 });
    else if (kind === 'checkbox') await field.check();
    else if (kind === 'date') await field.fill('2026-01-31');
    else await field.fill(kind === 'number' ? '3' : 'Ann');
  }
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await until('the form is settled', async () => await page.locator('.ask').count() === 0);
  await rests(page);
  await say(page, 'make a plan');
  await page.locator('.ask .steps').waitFor();
  await page.getByRole('button', { name: 'Do not answer' }).click();
  await until('the plan is left', async () => await page.locator('.ask').count() === 0);
  const id = await rests(page);
  await exact(page, id);
  await done(page);
});

step('what is written while it works waits its turn, and can be withdrawn', async () => {
  const page = await newChat();
  await say(page, 'help');
  await page.locator('.live').waitFor();
  await say(page, 'what do I have');
  await page.locator('#queued .chip').waitFor();
  await shot(page, 'queued-light-1280');
  await page.getByRole('button', { name: /Withdraw the message/ }).click();
  await until('the chip is gone', async () => await page.locator('#queued .chip').count() === 0);
  await becomes(() => page.inputValue('#text'), 'what do I have', 'the text is back');
  await page.press('#text', 'Enter');
  const id = await rests(page);
  await until('both were answered', async () => (await record(id)).filter((m) => m.sender === 'USER' && m.status === 'stored').length === 2);
  await rests(page);
  await exact(page, id);
  await done(page);
});

step('Escape stops the answer; what was written stays', async () => {
  const page = await newChat();
  await say(page, 'help');
  await until('some text is there', async () => (await page.locator('.live .md').textContent({ timeout: 500 }).catch(() => '')).length > 60);
  await page.keyboard.press('Escape');
  const id = await rests(page);
  check((await record(id)).some((m) => m.status === 'interrupted'), 'the record has the part');
  await until('the page says so', async () => /Interrupted/.test(await page.locator('#timeline').innerText()), 5000);
  await exact(page, id);
  await done(page);
});

step('a draft survives a reload, each chat has its own', async () => {
  const page = await newChat();
  await page.fill('#text', 'half a thought');
  await page.reload();
  const shows = (draft) => until(`the draft is ${JSON.stringify(draft)}`, async () => (await page.inputValue('#text')) === draft);
  await shows('half a thought');
  await page.locator('#sessions a').first().click();
  await shows(''); // another chat has its own
  await page.locator('#new').click();
  await shows('half a thought');
  await done(page);
});

for (const mode of ['cut', '503']) {
  step(`the connection is lost and comes back (${mode}): no character lost or doubled`, async () => {
    const page = await newChat();
    await say(page, 'help');
    await until('some text is there', async () => (await page.locator('.live .md').textContent({ timeout: 500 }).catch(() => '')).length > 40);
    line.set(mode);
    await new Promise((r) => setTimeout(r, 300));
    line.set('open'); // a short break is not seen
    let seen = false;
    await until('text goes on after a short break', async () => {
      seen ||= await page.locator('#net.shown').isVisible();
      return (await page.locator('.md').last().textContent()).length > 300;
    });
    check(!seen, 'a short break was shown');
    line.set(mode);
    const lost = Date.now();
    await page.locator('#net.shown').waitFor();
    check(Date.now() - lost > 1700, `the bar came after ${Date.now() - lost} ms`);
    await shot(page, `lost-${mode}`);
    await say(page, 'what do I have'); // the composer never locks
    await page.locator('#queued .chip').waitFor();
    line.set('open');
    await until('the bar goes', async () => !await page.locator('#net.shown').isVisible());
    const id = await rests(page);
    await until('the message arrived', async () => (await record(id)).filter((m) => m.sender === 'USER').length === 2);
    await rests(page);
    await until('the chip is gone', async () => await page.locator('#queued .chip').count() === 0);
    same((await record(id)).filter((m) => m.sender === 'USER').length, 2, 'messages sent');
    await exact(page, id);
    await done(page);
  });
}

if (restart) {
  step('the server is killed in mid-answer and comes back', async () => {
    const page = await newChat();
    await say(page, 'help');
    await until('some text is there', async () => (await page.locator('.live .md').textContent({ timeout: 500 }).catch(() => '')).length > 40);
    execSync(restart, { stdio: 'inherit' });
    await page.locator('#net.shown').waitFor({ state: 'hidden' });
    const id = await rests(page);
    same((await record(id)).filter((m) => m.sender === 'USER').length, 1, 'messages sent');
    await exact(page, id);
    await done(page);
  });
}

step('two tabs see the same', async () => {
  const page = await newChat();
  await say(page, 'ask me something');
  await page.locator('.ask').waitFor();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.locator('.ask input[type=radio]').first().check();
  await other.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.locator('.settled').waitFor();
  const id = await rests(page);
  await exact(page, id);
  await done(page);
});

step('a chat is renamed and deleted', async () => {
  const page = await newChat();
  await say(page, 'ask me for a text');
  await page.locator('.ask').waitFor();
  const id = await idOf(page);
  await page.locator('#rename').click();
  await page.fill('dialog input', 'My chat <b>');
  await page.keyboard.press('Enter');
  await until('the name is shown', async () => await page.locator('#title').textContent() === 'My chat <b>');
  same((await call('GET', `/v1/sessions/${id}`)).name, 'My chat <b>', 'the name on the server');
  await page.locator('#delete').click();
  await shot(page, 'delete-light-1280');
  await page.locator('dialog button.danger').click();
  await page.locator('#welcome').waitFor();
  check((await fetch(`${base}/v1/sessions/${id}`)).status === 404, 'it is deleted');
  await page.goto(`${line.url}/#${id}`);
  await page.locator('.problem[data-code=not_found]').waitFor();
  await done(page);
});

step('French, dark, narrow: readable, labelled, nothing sticks out', async () => {
  await call('PATCH', '/v1/settings', { require_validation: true });
  for (const colorScheme of ['light', 'dark']) {
    for (const [width, height] of [[320, 640], [1280, 800]]) {
      const page = await open(browser, line.url, { locale: 'fr-FR', colorScheme, viewport: { width, height } });
      const name = `${colorScheme}-${width}`;
      await becomes(() => page.evaluate(() => document.documentElement.lang), 'fr', 'the language');
      await page.locator('#welcome').waitFor();
      await shot(page, `accueil-${name}`);
      await say(page, `crée une zone Jardin ${name}`);
      await page.locator('.ask').waitFor();
      await shot(page, `accord-${name}`);
      const found = [...await page.evaluate(contrast), ...await page.evaluate(labels)];
      check(found.length === 0, `${name}:\n${found.join('\n')}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      check(wide <= 0, `${name}: ${wide} px stick out`);
      await page.getByRole('button', { name: 'Approuver', exact: true }).click();
      await page.locator('.settled').waitFor();
      await rests(page);
      await say(page, 'aide');
      await until('text streams', async () => (await page.locator('.md').last().textContent()).length > 200);
      await shot(page, `reponse-${name}`);
      await rests(page);
      await shot(page, `fin-${name}`);
      const late = await page.evaluate(contrast);
      check(late.length === 0, `${name}:\n${late.join('\n')}`);
      if (width === 320) {
        await page.locator('#side-open').click();
        await until('the drawer shows the chats', async () => await page.locator('#sessions a').first().isVisible(), 5000);
        await shot(page, `menu-${name}`);
        await page.keyboard.press('Escape');
        await becomes(() => page.evaluate(() => document.activeElement.id), 'side-open', 'the focus comes back');
      }
      await page.locator(width === 320 ? '#side-open' : '#new').click();
      await page.locator('#lang').click();
      await becomes(() => page.evaluate(() => document.documentElement.lang), 'en', 'the language after the switch');
      await done(page);
    }
  }
  await call('PATCH', '/v1/settings', { require_validation: false });
});

if (lockedURL) {
  step('a server that asks for a key', async () => {
    const page = await open(browser, lockedURL);
    await page.locator('dialog #signin-key').waitFor();
    await shot(page, 'signin-light-1280');
    await page.fill('#signin-key', 'wrong');
    await page.keyboard.press('Enter');
    await until('the wrong key is refused', async () => /not valid/.test(await page.locator('dialog .error').textContent()));
    await page.fill('#signin-key', lockedKey);
    await page.keyboard.press('Enter');
    await until('the dialog goes', async () => await page.locator('dialog').count() === 0);
    await say(page, 'help');
    await until('the answer streams, by a ticket', async () => (await page.locator('.live .md').textContent({ timeout: 500 }).catch(() => '')).length > 40);
    await page.reload();
    await page.locator('.message.user').waitFor();
    await until('the key is kept over a reload', async () => await page.locator('dialog').count() === 0, 5000);
    await page.locator('#signout').click();
    await page.locator('dialog #signin-key').waitFor();
    await done(page);
  });
}

// ---- and off -------------------------------------------------------------------------

await call('POST', '/v1/providers', { name: 'Slow demo', kind: 'demo', is_default: true, config: { word_delay_ms: 25 } });
let failed = 0;
for (const { name, run } of steps) {
  if (only && !name.includes(only)) continue;
  const begun = Date.now();
  line.set('open');
  try {
    await run();
    console.log(`ok    ${name} (${Date.now() - begun} ms)`);
  } catch (error) {
    failed++;
    console.log(`FAIL  ${name}\n      ${error.message.replaceAll('\n', '\n      ')}`);
    for (const context of browser.contexts()) {
      for (const page of context.pages()) {
        if (shotDir) await page.screenshot({ path: `${shotDir}/failed-${steps.findIndex((s) => s.name === name)}.png` }).catch(() => {});
        for (const bad of page.bad ?? []) console.log(`      ${bad}`);
      }
    }
  }
  for (const context of browser.contexts()) await context.close();
}
await browser.close();
line.close();
process.exit(failed ? 1 : 0);
