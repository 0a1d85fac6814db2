import { becomes, check, dark, french, narrow, same, tidy, until } from '../harness.mjs';

const automations = async (call) => (await call('GET', '/v1/automations')).data;
const make = (call, more = {}) =>
  call('POST', '/v1/automations', { name: 'Report', seed: { text: 'what do I have' }, ...more });
const clear = async (call) => {
  for (const a of await automations(call)) await call('DELETE', `/v1/automations/${a.id}?force=true`);
};
const runs = async (call, id) => (await call('GET', `/v1/runs?automation_id=${id}`)).data;
const ended = (call, id, n = 1) =>
  until(`${n} runs have ended`, async () => {
    const all = await runs(call, id);
    return all.length >= n && all.every((run) => run.status === 'ended') && all;
  });

/** Expands a part of the form. */
const unfold = async (page, name) => {
  const fold = page.locator('details', { has: page.locator('summary', { hasText: name }) });
  await fold.waitFor();
  if ((await fold.getAttribute('open')) === null) await fold.locator('summary').first().click();
};

export const steps = [
  {
    name: 'a newcomer sets up a daily run, runs it now and finds its result',
    async run({ open, call, shot }) {
      const page = await open({ at: '/runs' });
      await page.getByText('No runs yet.').waitFor();
      await page.getByRole('link', { name: 'Create an automation' }).click();
      await page.getByLabel('Your request').fill('what do I have');
      await until('five runs are shown', async () => (await page.locator('[data-preview] li').count()) === 5);
      await tidy(page, 'the form of a new automation');
      await shot(page, 'new');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { level: 1, name: 'what do I have' }).waitFor();
      await becomes(() => page.evaluate(() => document.activeElement?.id), 'page-title', 'where the focus is');
      const [made] = await automations(call);
      same(made.schedule.expression, '0 8 * * *', 'the schedule');
      await page.getByRole('button', { name: 'Run now' }).click();
      await page.locator('[data-ran="ended"]').waitFor();
      await page.locator('[data-run] [data-outcome="COMPLETED"]').first().waitFor();
      await tidy(page, 'an automation');
      await shot(page, 'one');
      await page.getByRole('link', { name: 'Runs', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
      const run = page.locator('[data-run]').first();
      await run.getByText('There is nothing yet.').waitFor();
      await tidy(page, 'the runs');
      await shot(page, 'runs');
      await run.getByRole('button', { name: /^Details of/ }).click();
      await run.getByRole('link', { name: 'Open the chat' }).click();
      await until('the conversation is open', () => page.evaluate(() => location.hash.startsWith('#/chat/ses_')));
    },
  },
  {
    name: 'the next runs mark the day of a clock change, and skipped times',
    async run({ open, shot }) {
      const page = await open({ at: '/automations/new' });
      await page.getByLabel('Your request').fill('help');
      await page.getByLabel('Time zone').selectOption('Europe/Paris');
      await page.getByLabel('At', { exact: true }).fill('02:30');
      await page.getByLabel('Starting from').fill('2027-03-26');
      const marked = page.locator('[data-preview] li[data-clock]');
      await marked.waitFor();
      same(await marked.count(), 1, 'how many days are marked');
      check(/28 Mar 2027, 03:30/.test(await marked.textContent()), `the marked day is ${await marked.textContent()}`);
      await shot(page, 'clock');
      await page.getByLabel('It runs').selectOption('cron');
      await page.getByLabel('Cron expression').fill('0 8 31 2 *');
      await page.getByText('never comes').first().waitFor();
      same(await page.getByLabel('Cron expression').getAttribute('aria-invalid'), 'true', 'the field is marked');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('Fix the highlighted fields').waitFor();
      await becomes(
        () => page.evaluate(() => document.activeElement?.classList.contains('mono')),
        true,
        'the focus is on what is wrong',
      );
      await tidy(page, 'a schedule that never comes');
      await shot(page, 'never');
      await page.getByLabel('Cron expression').fill('*/10 * * * *');
      await until('the next runs are back', async () => (await page.locator('[data-preview] li').count()) === 5);
    },
  },
  {
    name: 'an automation is paused and enabled, run and deleted, from the list',
    async run({ open, call, shot }) {
      await clear(call);
      const a = await make(call, {
        tags: ['morning'],
        schedule: { type: 'cron', expression: '30 7 * * 1-5', time_zone: 'Europe/Paris' },
      });
      const page = await open({ at: '/automations' });
      const row = page.locator(`[data-automation="${a.id}"]`);
      await row.getByText('Monday to Friday at 07:30').waitFor();
      const act = async (what) => {
        await page.getByRole('button', { name: 'Actions: Report' }).click();
        await page.getByRole('button', { name: `${what}: Report` }).click();
      };
      await act('Run now');
      await ended(call, a.id);
      await row.getByRole('img', { name: /Last runs, newest last: 1 × done/ }).waitFor();
      await act('Pause');
      await row.getByText('paused').first().waitFor();
      same((await call('GET', `/v1/automations/${a.id}`)).enabled, false, 'enabled');
      await shot(page, 'list');
      // By keyboard only: J selects the row, P enables it.
      await page.keyboard.press('j');
      await page.keyboard.press('p');
      await until('it is on again', async () => (await call('GET', `/v1/automations/${a.id}`)).enabled);
      await becomes(() => row.getAttribute('data-is'), 'well', 'how its row stands');
      await tidy(page, 'the list');
      await act('Delete');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('No automations yet.').waitFor();
      await becomes(() => page.evaluate(() => document.activeElement?.id), 'page-title', 'where the focus is');
      same((await runs(call, a.id)).length, 1, 'its run is still there');
    },
  },
  {
    name: 'a webhook address is created, called from outside, and renewed; its run appears automatically',
    async run({ open, call, base, shot }) {
      await clear(call);
      const a = await make(call);
      const page = await open({ at: `/automations/${a.id}` });
      await unfold(page, 'Events that start it');
      await page.getByRole('button', { name: 'Add a web address' }).click();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      const url = await page.locator('[data-webhook] .mono').textContent();
      check(url.includes(`/v1/hooks/${a.id}/`), `the address is ${url}`);
      await shot(page, 'webhook');
      const post = (to) =>
        fetch(base + new URL(to).pathname, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: '{"level":"critical"}',
        });
      same((await post(url)).status, 202, 'the call');
      await page.locator('[data-run] [data-outcome="COMPLETED"]').first().waitFor();
      await page.locator('[data-run]').first().getByText('event', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Create a new address…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Create a new address' }).click();
      await until(
        'the address is another one',
        async () => (await page.locator('[data-webhook] .mono').textContent()) !== url,
      );
      same((await post(url)).status, 404, 'the old address');
      await tidy(page, 'an automation with a web address');
    },
  },
  {
    name: 'an entry starts a run, if it meets the condition',
    async run({ open, call }) {
      await clear(call);
      const zone = await call('POST', '/v1/zones', { name: 'Health' });
      const tool = await call('POST', '/v1/tools', {
        zone_id: zone.id,
        tool_type: 'tracking',
        name: 'Sleep',
        config: {},
      });
      const a = await make(call);
      const page = await open({ at: `/automations/${a.id}` });
      await unfold(page, 'Events that start it');
      await page.getByRole('button', { name: 'Watch a tool for new entries' }).click();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Choose a tool.').waitFor();
      await page.getByLabel(/^Tool/).selectOption('Sleep');
      await page.getByLabel('Only if').fill('{');
      await page.getByText('Not a JSON object').waitFor();
      await page.getByLabel('Only if').fill('');
      await page.getByRole('button', { name: 'Insert an example' }).click();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await until('it is saved', async () => (await call('GET', `/v1/automations/${a.id}`)).triggers.length === 1);
      await page.getByText('when an entry is added to Sleep').waitFor();
      await call('POST', `/v1/tools/${tool.id}/entries`, { data: { value: 3 } });
      await call('POST', `/v1/tools/${tool.id}/entries`, { data: { value: 12 } });
      await page.locator('[data-run]').waitFor();
      await ended(call, a.id);
      same((await runs(call, a.id)).length, 1, 'how many runs');
    },
  },
  {
    name: 'data is inserted into a request, and the preview shows what the AI will receive',
    async run({ open, call, shot }) {
      await clear(call);
      const zone = await call('POST', '/v1/zones', { name: 'Sport' });
      await call('POST', '/v1/tools', { zone_id: zone.id, tool_type: 'tracking', name: 'Steps', config: {} });
      const page = await open({ at: '/automations/new' });
      await page.getByLabel('Your request').fill('how is ');
      await page.getByRole('button', { name: 'Insert data' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Which one').selectOption('Steps');
      await dialog.getByLabel('Period').selectOption('last week');
      await dialog.getByText('last week').nth(1).waitFor();
      await tidy(page, 'the dialog of data');
      await shot(page, 'block');
      await dialog.getByRole('button', { name: 'Insert', exact: true }).click();
      await page.locator('[data-block="USE"]').waitFor();
      await page.getByRole('button', { name: 'Preview what the AI reads' }).click();
      await page.locator('[data-look] li').first().waitFor();
      await tidy(page, 'a request with data');
      await shot(page, 'request');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('button', { name: 'Run now' }).waitFor();
      const [a] = await automations(call);
      const seed = await call('GET', `/v1/automations/${a.id}/seed`);
      same(
        seed.segments.find((s) => s.enrichment).enrichment.config.period,
        { relative: '-1_WEEK' },
        'the time stays relative',
      );
    },
  },
  {
    name: 'two people change the same automation: no input is lost',
    async run({ open, call, shot }) {
      await clear(call);
      const a = await make(call, { tags: ['old'] });
      const page = await open({ at: `/automations/${a.id}` });
      await page.getByLabel('Name', { exact: true }).fill('Mine');
      await call('PATCH', `/v1/automations/${a.id}`, { overlap: 'queue', name: 'Theirs' });
      await page.locator('[data-stale]').waitFor();
      await tidy(page, 'a concurrent change');
      await shot(page, 'stale');
      same(await page.getByLabel('Name', { exact: true }).inputValue(), 'Mine', 'what was typed');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Mine' }).waitFor();
      const now = await call('GET', `/v1/automations/${a.id}`);
      same([now.name, now.overlap], ['Mine', 'queue'], 'both changes');

      // The same, if the page has not received the event: the server rejects the save, and nothing is lost.
      await page.context().route('**/v1/events/stream**', (route) => route.abort());
      await page.reload();
      await page.getByLabel('Name', { exact: true }).fill('Mine again');
      await call('PATCH', `/v1/automations/${a.id}`, { tags: ['theirs'] });
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.locator('[data-stale]').waitFor();
      same(await page.getByLabel('Name', { exact: true }).inputValue(), 'Mine again', 'what was typed');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Mine again' }).waitFor();
      const then = await call('GET', `/v1/automations/${a.id}`);
      same([then.name, then.tags], ['Mine again', ['theirs']], 'both changes');
    },
  },
  {
    name: 'unsaved changes survive a reload, and a link asks first',
    async run({ open, call }) {
      await clear(call);
      const a = await make(call);
      const page = await open({ at: `/automations/${a.id}` });
      page.on('dialog', (d) => d.accept()); // the browser's confirmation before a reload
      await page.getByLabel('Your request').fill('what do I have today');
      await page.reload();
      await page.getByText('Restored: changes you had not saved.').waitFor();
      same(await page.getByLabel('Your request').inputValue(), 'what do I have today', 'what was typed');
      await page.getByRole('link', { name: 'Home' }).click();
      await page.getByRole('dialog').getByText('Leave without saving?').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await until(
        'it is saved',
        async () => (await call('GET', `/v1/automations/${a.id}/seed`)).linear_text === 'what do I have today',
      );
      await page.getByRole('link', { name: 'Home' }).click();
      await until('the way is free', () => page.evaluate(() => location.hash === '#/'));
    },
  },
  {
    name: 'a grant is given and revoked',
    async run({ open, call, shot }) {
      await clear(call);
      const a = await make(call);
      const page = await open({ at: `/automations/${a.id}` });
      await unfold(page, 'What it may do without approval');
      await page.getByRole('button', { name: 'Pre-approve an action' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('add entries').waitFor();
      await dialog.getByRole('button', { name: 'Pre-approve', exact: true }).click();
      await dialog.getByText('Choose at least one action.').waitFor();
      await dialog.getByLabel('add entries').check();
      await tidy(page, 'the dialog of a grant');
      await shot(page, 'grant');
      await dialog.getByRole('button', { name: 'Pre-approve', exact: true }).click();
      await page.locator('[data-grant]').waitFor();
      await page.getByText('add entries, anywhere').waitFor();
      await tidy(page, 'a grant');
      await page.getByRole('button', { name: 'Withdraw' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
      await page.getByText('1 no longer valid').waitFor();
      same((await call('GET', `/v1/automations/${a.id}/grants`)).data[0].active, false, 'active');
    },
  },
  {
    name: 'runs: missed occurrences and reasons, filters, the request then and now, run again',
    async run({ open, call, shot }) {
      await clear(call);
      const a = await make(call, {
        name: 'Often',
        schedule: { type: 'interval', expression: '1m', time_zone: 'UTC', starts_at: '2026-01-01T00:00:00' },
      });
      await call('POST', `/v1/automations/${a.id}/execute`);
      await ended(call, a.id);
      await call('PATCH', `/v1/automations/${a.id}`, { seed: { text: 'what do I have today' } });
      const page = await open({ at: '/runs' });
      await page.getByRole('button', { name: 'Filters', exact: true }).click();
      await page.getByLabel('Automation', { exact: true }).selectOption('Often');
      check(page.url().includes(`/runs/automation=${a.id}`), `the filter is in the address: ${page.url()}`);
      await page.locator('[data-chip="automation"]').getByText('Often').waitFor();
      const first = page.locator('[data-run]').last();
      await first.getByRole('button', { name: /^Details of/ }).click();
      await first.locator('[data-seed] ins', { hasText: 'today' }).waitFor();
      await tidy(page, 'the runs with a request');
      await shot(page, 'runs-request');
      await page.getByLabel('Outcome').selectOption('failed');
      await page.getByText('No run matches.').waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).first().click();
      await page.locator('[data-run]').first().waitFor();
    },
  },
  {
    name: 'a run is repeated with another request, and the differences are shown before',
    async run({ open, call, shot }) {
      await clear(call);
      const zone = await call('POST', '/v1/zones', { name: 'Health' });
      const tool = await call('POST', '/v1/tools', {
        zone_id: zone.id,
        tool_type: 'tracking',
        name: 'Naps',
        config: {},
      });
      const a = await make(call, {
        name: 'Naps of the week',
        seed: {
          segments: [
            { type: 'text', text: 'what do I have ' },
            {
              type: 'enrichment',
              enrichment: { type: 'USE', config: { tool_id: tool.id, period: { relative: '0_WEEK' } } },
            },
          ],
        },
      });
      await call('POST', `/v1/automations/${a.id}/execute`);
      await ended(call, a.id);
      const [{ session_id: first }] = await runs(call, a.id);
      const page = await open({ at: `/runs/automation=${a.id}` });
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'Run again: Naps of the week' }).click();
      await dialog.locator('[data-differs="times"]').waitFor();
      same(await dialog.locator('[data-differs="request"]').count(), 0, 'the request is the same');
      await page.keyboard.press('Escape');
      await call('POST', `/v1/tools/${tool.id}/entries`, { data: { value: 3 } });
      await call('PATCH', `/v1/automations/${a.id}`, { name: 'Naps' });
      await page.getByRole('button', { name: 'Run again: Naps of the week' }).click();
      await dialog.locator(`[data-differs="${tool.id}"]`).getByText('1 entry added or changed').waitFor();
      await dialog.locator('[data-differs="automation"]').waitFor();
      await dialog.getByLabel('Your request').fill('what did I have ');
      await dialog.locator('[data-differs="request"] ins', { hasText: 'did' }).waitFor();
      await tidy(page, 'a run again');
      await shot(page, 'run-again');
      await dialog.getByRole('button', { name: 'Run again' }).click();
      const all = await ended(call, a.id, 2);
      const again = all.find((run) => run.session_id !== first);
      const [message] = (await call('GET', `/v1/sessions/${again.session_id}/messages?limit=1`)).data;
      check(
        /^what did I have/.test(message.rich_content.linear_text),
        `it was asked: ${message.rich_content.linear_text}`,
      );
      same(message.rich_content.segments[1].enrichment.config.tool_id, tool.id, 'the data is in it');
      const seed = await call('GET', `/v1/automations/${a.id}/seed`);
      check(/^what do I have/.test(seed.linear_text), 'the automation is as it was');
      const row = page.locator(`[data-run="${first}"]`);
      await row.getByRole('button', { name: /^Actions/ }).click();
      await row.getByRole('button', { name: /Continue as a chat/ }).click();
      await until('a chat is open', () => page.evaluate(() => location.hash.startsWith('#/chat/ses_')));
      const chat = await page.evaluate(() => location.hash.split('/').at(-1));
      same((await call('GET', `/v1/sessions/${chat}`)).forked_from.session_id, first, 'it is forked from the run');
    },
  },
  {
    name: 'a paused automation shows why and what to do; unknown values of a newer server break nothing',
    async run({ open, call, line, shot }) {
      await clear(call);
      const a = await make(call);
      const odd = {
        ...a,
        id: 'aut_odd',
        name: 'Odd',
        enabled: false,
        disabled_reason: 'moonlight',
        misfire: 'twice',
        triggers: [{ type: 'eclipse' }],
        schedule: { type: 'lunar', expression: 'full', time_zone: 'Mars/Olympus' },
      };
      line.answers.set('/v1/automations', {
        data: [{ ...a, enabled: false, disabled_reason: 'failures' }, odd],
        next_cursor: null,
      });
      const page = await open({ at: '/automations' });
      await page.getByText('the last five runs failed').waitFor();
      await page.getByText('Paused by the server: moonlight.').waitFor();
      await tidy(page, 'automations that the server paused');
      await shot(page, 'failures');
      await page.locator(`[data-automation="${a.id}"]`).getByRole('link', { name: 'See the last runs' }).click();
      await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
      check(page.url().includes(`/runs/automation=${a.id}`), 'the filter');
    },
  },
  {
    name: 'further actions of an automation are in a menu, and problems are not',
    async run({ open, call, line, shot }) {
      await clear(call);
      const a = await make(call, { name: 'Watering' });
      for (const [view, shape] of [
        ['narrow', { ...narrow, ...french }],
        ['wide', dark],
      ]) {
        const page = await open({ ...shape, at: `/automations/${a.id}` });
        const menu = page.getByRole('button', { name: /^Actions\s?: Watering$/ });
        await menu.waitFor();
        const tops = await page
          .locator('.page > header > .row button:visible')
          .evaluateAll((all) =>
            all.map((one) => one.getBoundingClientRect()).map((r) => Math.round(r.top + r.height / 2)),
          );
        same(new Set(tops).size, 1, `the lines of buttons in the header, ${view}`);
        line.set('503');
        await menu.click();
        await page
          .getByRole('group', { name: /^Actions/ })
          .getByText(/^(Export|Exporter)$/)
          .click();
        await page.locator('.page > [role=alert]').waitFor();
        same(await menu.getAttribute('aria-expanded'), 'false', 'the menu is open');
        await tidy(page, `an export that failed, ${view}`);
        line.set('open');
        await menu.click();
        await shot(page, `one-menu-${view}`);
        const [file] = await Promise.all([
          page.waitForEvent('download'),
          page
            .getByRole('group', { name: /^Actions/ })
            .getByText(/^(Export|Exporter)$/)
            .click(),
        ]);
        await menu.click();
        await page
          .getByRole('group', { name: /^Actions/ })
          .getByText(/^(Delete|Supprimer)$/)
          .click();
        await page
          .getByRole('dialog')
          .getByRole('button', { name: /^(Cancel|Annuler)$/ })
          .click();
        await becomes(
          () => menu.evaluate((button) => button === document.activeElement),
          true,
          'the focus is back at the menu',
        );
        check(/^watering.*\.json$/.test(file.suggestedFilename()), `the file is called ${file.suggestedFilename()}`);
      }
    },
  },
  {
    name: 'automations are exported to a file and imported from it',
    async run({ open, call }) {
      await clear(call);
      await make(call, {
        name: 'Moves',
        tags: ['x'],
        schedule: { type: 'cron', expression: '0 6 * * *', time_zone: 'Europe/Paris' },
      });
      const page = await open({ at: '/automations' });
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export all' }).click(),
      ]);
      const path = await file.path();
      check(/^moves-.*\.json$/.test(file.suggestedFilename()), `the file is called ${file.suggestedFilename()}`);
      await clear(call);
      await page.getByText('No automations yet.').waitFor();
      await page.getByRole('button', { name: 'Import' }).click();
      await page
        .getByLabel('Files (JSON)')
        .setInputFiles({ name: 'bad.json', mimeType: 'application/json', buffer: Buffer.from('{"automations": 1}') });
      await page.getByText('the list “automations” is missing').waitFor();
      await page.getByLabel('Files (JSON)').setInputFiles(path);
      await page.getByText('new', { exact: true }).waitFor();
      await tidy(page, 'the dialog of an import');
      await page.getByRole('button', { name: 'Import 1 automation' }).click();
      await page.locator('[data-import="created"]').waitFor();
      const [a] = await automations(call);
      same([a.name, a.tags, a.schedule.expression], ['Moves', ['x'], '0 6 * * *'], 'what came back');
    },
  },
  {
    name: 'dark, narrow and French',
    async run({ open, call, shot }) {
      await clear(call);
      const long = 'Nom'.repeat(60);
      const a = await make(call, {
        name: long,
        tags: ['étiquette'],
        schedule: { type: 'cron', expression: '30 7 * * 1,3', time_zone: 'Asia/Tokyo' },
        triggers: [{ type: 'webhook' }],
      });
      await call('POST', `/v1/automations/${a.id}/execute`);
      await ended(call, a.id);
      for (const [name, options] of [
        ['dark', dark],
        ['narrow', narrow],
        ['french', { ...french, ...narrow, ...dark }],
        ['wide-french', french],
      ]) {
        for (const at of ['/automations', '/automations/new', `/automations/${a.id}`, '/runs']) {
          const page = await open({ ...options, at });
          await page.locator('[data-automation], [data-preview], [data-run]').first().waitFor();
          await tidy(page, `${at}, ${name}`);
          await shot(page, `${name}${at.replaceAll('/', '-').replace(a.id, 'one')}`);
          await page.close();
        }
      }
    },
  },
];
