import http from 'node:http';
import { becomes, check, dark, french, narrow, same, tidy, until } from '../harness.mjs';
import { furnish } from '../furnish.mjs';
import { go, settled } from '../screens.mjs';

export const env = { FERMATA_ALLOWED_HOSTS: '127.0.0.0/8' };

// A model that answers on demand: until then requests are pending.
async function model() {
  const open = [];
  const server = http.createServer((request, response) => {
    let text = '';
    request.on('data', (piece) => {
      text += piece;
    });
    request.on('end', () => {
      const asked = JSON.parse(text || '{}');
      const answer = { cut: false, say: (words) => reply(response, asked, words) };
      response.on('close', () => {
        answer.cut = !response.writableEnded;
        open.splice(open.indexOf(answer), 1);
      });
      open.push(answer);
    });
  });
  await new Promise((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  return {
    open,
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function reply(response, { stream, model: name }, content) {
  const usage = { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 };
  const base = { id: 'x', created: 1, model: name };
  if (!stream) {
    response.setHeader('Content-Type', 'application/json');
    response.end(
      JSON.stringify({
        ...base,
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
        usage,
      }),
    );
    return;
  }
  response.setHeader('Content-Type', 'text/event-stream');
  const send = (choices, more) =>
    response.write(`data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices, ...more })}\n\n`);
  send([{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }]);
  send([{ index: 0, delta: {}, finish_reason: 'stop' }], { usage });
  response.end('data: [DONE]\n\n');
}

const card = (page, name) => page.locator(`[data-card="${name}"]`);

export const steps = [
  {
    name: 'a new user: an introduction, one focused field, three examples, the model that answers',
    async run({ freshServer, open, shot }) {
      const server = await freshServer();
      const page = await open({ base: server.base });
      const field = page.getByRole('textbox', { name: 'Your first message' });
      await field.waitFor();
      await page.getByText(/An assistant that keeps your data, works on a schedule, and asks/).waitFor();
      await becomes(() => field.evaluate((e) => e === document.activeElement), true, 'one can type at once');
      same(await page.getByRole('group', { name: 'Examples' }).getByRole('button').count(), 3, 'the examples');
      await page.getByText('Demo model').waitFor();
      for (const [name, look] of [
        ['light', {}],
        ['dark', dark],
        ['narrow', narrow],
        ['fr', { ...french, ...narrow, ...dark }],
      ]) {
        const other = await open({ base: (await freshServer()).base, ...look });
        await settled(other);
        await tidy(other, `a new user, ${name}`);
        await shot(other, `home-new-${name}`);
        await other.context().close();
      }
      await page.getByRole('button', { name: 'Track my sleep' }).click();
      same(await field.inputValue(), 'Track my sleep in hours', 'an example fills the field');
      await field.fill('create a zone Health; track my sleep in hours between 0 and 24 in Health');
      same((await server.call('GET', '/v1/settings')).changed, [], 'a visit changes nothing');
      await page.keyboard.press('Enter');
      await page.waitForURL(/#\/chat\/ses_/);
      // The first sentence is true: nothing is changed before it was approved.
      const asks = page.locator('[data-approval][data-status=open]');
      await asks.getByRole('button', { name: /^Approve/ }).waitFor();
      same((await server.call('GET', '/v1/zones')).data.length, 0, 'zones before the approval');
      same((await server.call('GET', '/v1/settings')).require_validation, true, 'the workspace asks');
      await shot(page, 'home-first-approval');
      await asks.getByRole('button', { name: /^Approve/ }).click();
      await until('what was said is done', async () => (await server.call('GET', '/v1/zones')).data.length === 1);
      const [chat] = (await server.call('GET', '/v1/sessions?type=CHAT')).data;
      same(chat.name, 'create a zone Health; track my sleep in hours between 0 and…', 'its name is cut between words');
      await go(page, '/');
      await card(page, 'recent')
        .getByRole('link', { name: /create a zone Health/ })
        .waitFor();
      same(await card(page, 'newcomer').count(), 0, 'it is an everyday page now');
    },
  },
  {
    name: 'a first automation is one click, and one click removes it',
    async run({ freshServer, open }) {
      const { base, call } = await freshServer();
      const page = await open({ base });
      await page.getByRole('button', { name: 'Plan a daily review' }).click();
      await page.waitForURL(/#\/automations\/aut_/);
      const [made] = (await call('GET', '/v1/automations')).data;
      same([made.enabled, made.schedule.expression], [false, '0 8 * * *'], 'the sample is switched off');
      const toast = page.locator('[data-toast]');
      await toast.getByText('Sample automation added').waitFor();
      await settled(page);
      await tidy(page, 'a toast');
      await toast.getByRole('button', { name: 'Undo' }).click();
      await becomes(async () => (await call('GET', '/v1/automations')).data.length, 0, 'it is gone');
      await page.getByRole('textbox', { name: 'Your first message' }).waitFor();
      same(await toast.count(), 0, 'no toast about what was undone');
    },
  },
  {
    name: 'a visit never changes the language of a workspace; a new user is offered theirs, and may decline',
    async run({ freshServer, open, shot }) {
      const offer = /Régler cet espace sur le français et le fuseau Europe\/Paris/;
      for (const accepted of [true, false]) {
        const { base, call } = await freshServer();
        const page = await open({ base, ...french, timezoneId: 'Europe/Paris' });
        await page.getByRole('textbox', { name: 'Votre premier message' }).waitFor();
        const choice = page.getByRole('switch', { name: offer });
        same(await choice.isChecked(), true, 'the offer is accepted unless it is declined');
        await settled(page);
        await tidy(page, 'the offer of a language');
        await shot(page, 'home-new-language');
        same((await call('GET', '/v1/settings')).changed, [], 'a visit changes nothing');
        if (!accepted) {
          await choice.uncheck();
          await page.reload();
          await choice.waitFor();
          same(await choice.isChecked(), false, 'the choice after a reload');
        }
        await page.getByRole('button', { name: 'Suivre mon sommeil' }).click();
        await page.keyboard.press('Enter');
        await page.waitForURL(/#\/chat\/ses_/);
        const { language, time_zone, require_validation } = await call('GET', '/v1/settings');
        same(
          [language, time_zone, require_validation],
          accepted ? ['fr', 'Europe/Paris', true] : ['en', 'UTC', true],
          'the settings after the first message',
        );
        // The cards are in the reader's language, whatever the workspace's is.
        await page
          .getByText(/Ajouter la zone «\s?G[eé]n[eé]ral/)
          .first()
          .waitFor();
      }
      const set = await freshServer();
      await set.call('PATCH', '/v1/settings', { language: 'fr', time_zone: 'Asia/Tokyo' });
      const other = await open({ base: set.base, timezoneId: 'Europe/Paris' });
      await other.getByRole('textbox', { name: 'Your first message' }).waitFor();
      await settled(other);
      same(await other.getByRole('switch', { name: /this workspace/ }).count(), 0, 'offers where all is set');
      same((await set.call('GET', '/v1/settings')).language, 'fr', 'the language that was set');
    },
  },
  {
    name: 'the switch of the first page: its sentence is true in both positions, and declining disables approvals',
    async run({ freshServer, open, shot }) {
      const { base, call } = await freshServer();
      const page = await open({ base });
      const asks = page.getByRole('switch', { name: 'Ask before changing anything' });
      const free = page.getByText(/and asks first only where you want it to/);
      same(await asks.isChecked(), true, 'it is on');
      await asks.uncheck();
      await free.waitFor();
      await tidy(page, 'a new user without approvals');
      await shot(page, 'home-new-free');
      await page.reload();
      await free.waitFor();
      await page.getByRole('textbox', { name: 'Your first message' }).fill('create a zone Attic');
      await page.keyboard.press('Enter');
      await until('it is done', async () => (await call('GET', '/v1/zones')).data.length === 1);
      same((await call('GET', '/v1/settings')).require_validation, false, 'the workspace');
    },
  },
  {
    name: 'a workspace that is in use or configured by the API is unchanged, and has no switch',
    async run({ freshServer, open }) {
      const used = await freshServer();
      await used.call('POST', '/v1/zones', { name: 'Ours' });
      const page = await open({ base: used.base });
      await page.getByText(/and asks first only where you want it to/).waitFor();
      same(await page.getByRole('switch').count(), 0, 'switches, in a workspace with a zone');
      await page.getByRole('textbox', { name: 'Your first message' }).fill('create a zone Attic');
      await page.keyboard.press('Enter');
      await until('it is done', async () => (await used.call('GET', '/v1/zones')).data.length === 2);
      same((await used.call('GET', '/v1/settings')).require_validation, false, 'what was not set');

      // It is first used after the page was opened.
      const late = await freshServer();
      const open2 = await open({ base: late.base });
      await open2.getByRole('switch').waitFor();
      await open2.route(/\/v1\/zones/, (route) => route.abort()); // it cannot find out
      await late.call('PATCH', '/v1/settings', { require_validation: true });
      await late.call('PATCH', '/v1/settings', { require_validation: false });
      await late.call('POST', '/v1/zones', { name: 'Theirs' });
      await open2.unrouteAll();
      await open2.getByRole('textbox', { name: 'Your first message' }).fill('create a zone Cellar');
      await open2.keyboard.press('Enter');
      await until('it is done', async () => (await late.call('GET', '/v1/zones')).data.length === 2);
      same((await late.call('GET', '/v1/settings')).require_validation, false, 'a workspace in use');
    },
  },
  {
    name: 'a new user’s input survives a reload and a look around',
    async run({ freshServer, open }) {
      const { base } = await freshServer();
      const page = await open({ base });
      const field = page.getByRole('textbox', { name: 'Your first message' });
      await field.fill('Track my mood, from 1 to 10');
      await page.reload();
      await becomes(() => field.inputValue(), 'Track my mood, from 1 to 10', 'after a reload');
      await page.getByRole('link', { name: 'connect your own' }).click();
      await page.getByRole('button', { name: 'Add a provider' }).waitFor();
      await page.goBack();
      await becomes(() => field.inputValue(), 'Track my mood, from 1 to 10', 'after a look at the providers');
    },
  },
  {
    name: 'items that need a person: a question with its text, a change that is approved in place',
    async run({ freshServer, open, shot }) {
      const { base, call } = await freshServer();
      await call('PATCH', '/v1/settings', { require_validation: true });
      const ask = async (name, text) => {
        const { id } = await call('POST', '/v1/sessions', { type: 'CHAT', name, message: { text } });
        return until(
          `${name} asks`,
          async () => (await call('GET', `/v1/approvals?status=open&session_id=${id}`)).data[0],
        );
      };
      const change = await ask('Rooms', 'create a zone Kitchen');
      const page = await open({ base });
      const row = card(page, 'needs').locator(`[data-approval="${change.id}"]`);
      await row.getByText('Add the zone “Kitchen”').waitFor();
      await tidy(page, 'what needs a person');
      await shot(page, 'home-needs');
      await row.getByRole('link', { name: /^Review/ }).click();
      await page.locator(`[data-detail] [data-approval="${change.id}"]`).waitFor();
      await go(page, '/');
      await row.getByRole('button', { name: /^Approve/ }).click();
      await until('it is done', async () => (await call('GET', '/v1/zones')).data.some((z) => z.name === 'Kitchen'));
      await page.locator('[data-clear]').waitFor();
      const question = await ask('Asks', 'ask me something');
      const asked = card(page, 'needs').locator(`[data-approval="${question.id}"]`);
      await asked.waitFor();
      check((await asked.innerText()).includes('?'), 'the question is shown with its text');
      await asked.getByRole('link', { name: /^Answer/ }).click();
      await page.locator(`[data-detail] [data-approval="${question.id}"]`).waitFor();
    },
  },
  {
    name: 'a run that cannot reach its AI is marked at the automation, on Home and in the menu: no toast anywhere',
    async run({ freshServer, open, shot }) {
      const { base, call } = await freshServer({ env });
      const dead = await call('POST', '/v1/providers', {
        name: 'Away',
        kind: 'openai_compatible',
        config: { base_url: 'http://127.0.0.1:9/v1', model: 'x' },
      });
      const order = await call('POST', '/v1/automations', {
        name: 'Morning review',
        seed: { text: 'sum it up' },
        provider_id: dead.id,
      });
      const page = await open({ base });
      await settled(page);
      await call('POST', `/v1/automations/${order.id}/execute`);
      const row = card(page, 'needs').locator('[data-trouble=unreachable]');
      await row.getByText('Can’t reach its AI provider.').waitFor();
      same(await row.getByRole('link', { name: 'Check the provider' }).count(), 1, 'the way out');
      check(!/dial tcp|127\.0\.0\.1|network_error/.test(await page.locator('body').innerText()), 'no address is shown');
      await page.getByRole('navigation').getByText('1 automation needs a look').waitFor({ state: 'attached' });
      await tidy(page, 'a run that cannot reach its AI');
      await shot(page, 'home-trouble');
      for (const at of ['/data', '/usage', '/approvals']) {
        await go(page, at);
        same(await page.locator('[data-toast]').count(), 0, `${at}: no notice lies over it`);
      }
    },
  },
  {
    name: 'the queue shows why each one waits, since when, and about how long',
    async run({ freshServer, open, shot }) {
      const { base, call } = await freshServer({ env });
      await call('POST', '/v1/providers', {
        name: 'Demo',
        kind: 'demo',
        is_default: true,
        config: { word_delay_ms: 150 },
      });
      const order = await call('POST', '/v1/automations', { name: 'Slow', seed: { text: 'help' } });
      const run = async () => (await call('POST', `/v1/automations/${order.id}/execute`)).session.id;
      const first = await run();
      await until(
        'one was done',
        async () => (await call('GET', `/v1/sessions/${first}`)).end_reason === 'COMPLETED',
        60_000,
      );
      for (let n = 0; n < 3; n++) await run();
      const page = await open({ base });
      const rows = card(page, 'queue').locator('li[data-session]');
      await becomes(() => rows.count(), 2, 'two wait');
      await rows.nth(1).locator('[data-wait]').getByText(/about/).waitFor();
      await rows
        .nth(0)
        .getByText(/ · for \d/)
        .waitFor(); // the start time
      await tidy(page, 'a queue');
      await shot(page, 'home-queue');
      // The waiting run shows the same.
      const waits = await open({ base, ...narrow, at: `/chat/${await rows.nth(1).getAttribute('data-session')}` });
      await waits.locator('[data-words]').getByText('Queued, number').waitFor();
      await waits.locator('[data-slot=aside]').getByRole('link', { name: 'Slow' }).waitFor();
      await waits
        .locator('[data-slot=aside] [data-wait=known]')
        .getByText(/about|next/i)
        .waitFor();
      await waits
        .locator('[data-does=pauses]')
        .getByText(/^\d+\s?s/)
        .waitFor(); // the time so far
      await tidy(waits, 'a chat in the queue');
      await shot(waits, 'chat-queued');
    },
  },
  {
    name: 'Home loads without layout shifts, furnished and new, wide and on a phone',
    async run({ open, freshServer }) {
      const made = await freshServer();
      await furnish(made.call);
      for (const base of [made.base, (await freshServer()).base]) {
        for (const viewport of [
          { width: 1280, height: 800 },
          { width: 390, height: 800 },
        ]) {
          const page = await open({ base: 'about:blank', viewport });
          page.bad.length = 0;
          await page.addInitScript(() => {
            globalThis.shifts = [];
            new PerformanceObserver((list) => {
              for (const entry of list.getEntries())
                if (!entry.hadRecentInput)
                  globalThis.shifts.push({
                    value: entry.value,
                    of: entry.sources.map((s) => s.node?.outerHTML?.slice(0, 80)),
                  });
            }).observe({ type: 'layout-shift', buffered: true });
          });
          await page.route('**/v1/**', async (route) => {
            await new Promise((done) => setTimeout(done, 20 + Math.random() * 200));
            await route.continue().catch(() => {});
          });
          await page.goto(base);
          await settled(page);
          await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
          const shifts = await page.evaluate(() => globalThis.shifts);
          const sum = shifts.reduce((all, one) => all + one.value, 0);
          check(sum < 0.05, `layout shift ${sum} at ${viewport.width} px: ${JSON.stringify(shifts)}`);
          page.bad = page.bad.filter((bad) => !bad.includes(base));
          await page.context().close();
        }
      }
    },
  },
  {
    name: 'a chat sets an automation aside, and both show it',
    async run({ open, call, shot }) {
      const ai = await model();
      try {
        await call('POST', '/v1/providers', {
          name: 'Patient',
          kind: 'openai_compatible',
          is_default: true,
          config: { base_url: ai.url, model: 'patient' },
        });
        const order = await call('POST', '/v1/automations', { name: 'Nightly sums', seed: { text: 'sum it up' } });
        const { holder } = await call('GET', '/v1/slot');
        // An idle chat keeps the slot for five minutes.
        if (holder) await call('POST', `/v1/sessions/${holder.id}/stop`);
        const page = await open({ at: '/' });
        await settled(page);
        same(await card(page, 'slot').count(), 0, 'what is empty is not drawn');
        const { session: run } = await call('POST', `/v1/automations/${order.id}/execute`);
        await card(page, 'slot').locator(`[data-session="${run.id}"]`).waitFor();
        await card(page, 'slot').getByText('Thinking…').waitFor();
        await until('the model is asked', () => ai.open.length === 1);
        const second = await call('POST', `/v1/automations/${order.id}/execute`);
        const queued = card(page, 'queue').locator(`li[data-session="${second.session.id}"]`);
        await queued.waitFor();
        await becomes(() => queued.getAttribute('data-reason'), 'own_run_goes', 'why it waits');

        const chat = await call('POST', '/v1/sessions', { name: 'Now', message: 'something first' });
        await card(page, 'slot').locator(`[data-session="${chat.id}"]`).waitFor();
        // The run's call continues. Its answer waits for the chat.
        await until('the model is asked for both', () => ai.open.length === 2);
        ai.open[0].say('It is summed up.');
        const aside = card(page, 'queue').locator(`li[data-session="${run.id}"]`);
        await aside.getByText('Ready to continue').waitFor();
        await tidy(page, 'home at work');
        await shot(page, 'home-aside-light');
        const other = await open({ ...dark, ...narrow, ...french, at: '/' });
        await other.locator('[data-card="queue"]').waitFor();
        await tidy(other, 'home at work, dark, narrow, French');
        await shot(other, 'home-aside-dark-narrow-fr');

        await aside.getByRole('link', { name: 'Nightly sums' }).click();
        await page.locator('[data-status="queued"]').waitFor();
        await page.locator('[data-waits="slot"]').getByRole('link', { name: 'Now' }).waitFor();
        await page.getByRole('link', { name: 'Home' }).click();

        await queued.getByRole('button', { name: 'Remove from queue: Nightly sums' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Remove from queue' }).click();
        await becomes(() => queued.count(), 0, 'it has left the queue');
        await until('the model is asked for the chat', () => ai.open.length === 1);
        ai.open[0].say('Done, go on.');
        await until(
          'the chat is answered',
          async () => (await call('GET', `/v1/sessions/${chat.id}`)).phase === 'IDLE',
        );
        await call('POST', `/v1/sessions/${chat.id}/stop`);
        await becomes(() => aside.count(), 0, 'the run does not wait any more');
        check((await call('GET', `/v1/sessions/${run.id}`)).end_reason !== 'SUSPENDED', 'the run continues');
      } finally {
        ai.close();
      }
    },
  },
];
