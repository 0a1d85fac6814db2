import { becomes, check, dark, doTo, french, light, narrow, same, tidy, until } from '../harness.mjs';
import { go } from '../screens.mjs';

const entriesOf = async (call, tool) => (await call('GET', `/v1/tools/${tool}/entries?limit=200`)).data;

// tracker creates a zone with a numeric tool, through the API.
async function tracker(call, name, values = []) {
  const zone = await call('POST', '/v1/zones', { name: `Zone of ${name}` });
  const tool = await call('POST', '/v1/tools', {
    zone_id: zone.id,
    tool_type: 'tracking',
    name,
    config: { unit: 'kg' },
  });
  const day = 86_400_000;
  if (values.length)
    await call('POST', `/v1/tools/${tool.id}/entries/batch`, {
      entries: values.map((value, i) => ({
        timestamp: new Date(Date.now() - (values.length - i) * day).toISOString(),
        data: { value },
      })),
    });
  return { zone, tool };
}

// inked counts the non-empty pixels of a chart, by colour.
const inked = (page) =>
  page.locator('[data-chart] canvas').evaluate((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const colours = {};
    for (let i = 0; i < data.length; i += 4)
      if (data[i + 3] > 200) {
        const key = `${data[i]},${data[i + 1]},${data[i + 2]}`;
        colours[key] = (colours[key] ?? 0) + 1;
      }
    return colours;
  });
const rows = (page) => page.locator('tr[data-entry]');

export const steps = [
  {
    name: 'a new user creates a zone and a tool, records numbers, sees the chart, corrects, deletes and undoes',
    async run({ open, call, shot }) {
      const page = await open({ at: '/data' });
      await page.getByRole('button', { name: 'Create your first zone' }).waitFor();
      await tidy(page, 'no data yet');
      await shot(page, 'data-empty');
      await page.getByRole('button', { name: 'Create your first zone' }).click();
      await page.getByLabel('Name').fill('Health');
      await page.getByRole('radio', { name: 'green' }).check();
      await tidy(page, 'a new zone');
      await page.getByRole('button', { name: 'Create zone' }).click();
      await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor();
      await page.getByRole('button', { name: 'New tool' }).first().click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Weight');
      await page.getByLabel('Unit').fill('kg');
      await shot(page, 'data-new-tool');
      await page.getByRole('button', { name: 'Create tool' }).click();
      await page.getByRole('heading', { level: 1, name: 'Weight' }).waitFor();
      for (const value of ['72.5', '73,25', '71']) {
        await page.getByLabel('New: Value (kg)').fill(value);
        await page.keyboard.press('Enter');
        await becomes(() => page.getByLabel('New: Value (kg)').inputValue(), '', 'the field is empty again');
      }
      const [zone] = (await call('GET', '/v1/zones')).data;
      const [tool] = (await call('GET', `/v1/tools?zone_id=${zone.id}`)).data;
      same(
        (await entriesOf(call, tool.id)).map((e) => e.data.value),
        [71, 73.25, 72.5],
        'what is stored',
      );
      await becomes(
        () => rows(page).locator('[data-field=value]').allInnerTexts(),
        ['71', '73.25', '72.5'],
        'the table, newest first',
      );
      await page.getByText('3 values: minimum 71 kg, maximum 73.25 kg, average 72.25 kg, latest 71 kg.').waitFor();
      await until('the chart is drawn', async () => Object.values(await inked(page)).some((n) => n > 100));
      await page.getByText('Show as a table').click();
      await becomes(
        () => page.locator('figure tbody td').allInnerTexts(),
        ['71', '73.25', '72.5'],
        'the numbers beside the chart',
      );
      await tidy(page, 'a tool');
      await shot(page, 'data-tool');
      await page.getByLabel('New: Value (kg)').fill('seventy');
      await page.keyboard.press('Enter');
      await page.getByText('Enter a number, such as 72.5.').waitFor();

      await rows(page).first().getByRole('button', { name: /^Edit/ }).click();
      await page.getByRole('dialog').getByLabel('Value').fill('70.5');
      await tidy(page, 'an entry is edited');
      await page.getByRole('button', { name: 'Save' }).click();
      await becomes(() => rows(page).first().locator('[data-field=value]').innerText(), '70.5', 'the corrected value');
      await rows(page)
        .first()
        .getByRole('button', { name: /^Delete/ })
        .click();
      await page.getByText('Deleted 1 entry.').waitFor();
      await becomes(() => rows(page).count(), 2, 'a row less');
      await page.getByRole('button', { name: 'Undo' }).click();
      await becomes(() => rows(page).count(), 3, 'it is back');
      await page.getByLabel('Select all shown').check();
      await page.getByRole('button', { name: 'Delete 3 entries' }).click();
      await page.getByText('No entries yet.').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await becomes(() => rows(page).count(), 3, 'all are back');

      await go(page, `/data/zones/${zone.id}`);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('Deleted “Health”.').waitFor();
      same((await call('GET', '/v1/zones')).data.length, 0, 'zones');
      await page.reload();
      await page.getByText('Recently deleted (1)').click();
      await tidy(page, 'what was deleted');
      await page.getByRole('button', { name: 'Restore “Health”' }).click();
      await page.getByRole('link', { name: 'Weight' }).waitFor();
      same((await entriesOf(call, tool.id)).length, 3, 'the entries came back with the zone');
      await shot(page, 'data-overview');
    },
  },
  {
    name: 'one click creates an example',
    async run({ freshServer, open }) {
      const { base, call } = await freshServer();
      const page = await open({ base, at: '/data' });
      await page.getByRole('button', { name: 'Add the sample' }).click();
      await page.getByRole('heading', { level: 1, name: 'Weight' }).waitFor();
      await until(
        'the chart is drawn',
        async () =>
          (await page.locator('[data-chart] canvas').count()) === 1 &&
          Object.values(await inked(page)).some((n) => n > 100),
      );
      same(
        (await call('GET', '/v1/zones')).data.map((z) => z.name),
        ['Health'],
        'zones',
      );
    },
  },
  {
    name: 'a file with an invalid line is rejected as a whole and the line is named; a valid one is imported, exported and equal',
    async run({ open, call }) {
      const { tool } = await tracker(call, 'Steps', [1, 2]);
      const page = await open({ at: `/data/tools/${tool.id}`, acceptDownloads: true });
      await page.getByText('Import CSV').click();
      const choose = (text) =>
        page
          .locator('input[type=file]')
          .setInputFiles({ name: 'steps.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
      await choose('timestamp,value\n2026-03-02T07:30:00Z,8000\n2026-03-03T07:30:00Z,many\n');
      await page.locator('[data-import=wrong]').waitFor();
      same(
        await page
          .locator('[data-import=wrong] tbody td')
          .allInnerTexts()
          .then((cells) => cells.slice(0, 2)),
        ['3', 'value'],
        'where the mistake is',
      );
      await tidy(page, 'a wrong file');
      same((await entriesOf(call, tool.id)).length, 2, 'nothing came in');
      await choose('timestamp,value\n2026-03-02T07:30:00Z,8000\n2026-03-03T07:30:00Z,9000.5\n');
      await page.locator('[data-import=fine]').waitFor();
      same((await entriesOf(call, tool.id)).length, 2, 'it is only checked');
      await page.getByRole('button', { name: 'Import 2 entries' }).click();
      await page.locator('[data-import=done]').waitFor();
      await becomes(() => rows(page).count(), 4, 'four rows');
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download as CSV' }).click(),
      ]);
      same(file.suggestedFilename(), 'Steps.csv', 'its name');
      const chunks = [];
      for await (const chunk of await file.createReadStream()) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      await choose(text.replace('9000.5', '9001'));
      await page.getByText('0 new, 1 changed, 3 unchanged.').waitFor();
      await page.getByRole('button', { name: 'Import 1 entry' }).click();
      await page.locator('[data-import=done]').waitFor();
      await choose(text.replace('9000.5', '9001'));
      await page.locator('[data-import=empty]').waitFor();
      await choose(text);
      await page.getByRole('button', { name: 'Import 1 entry' }).click();
      await page.locator('[data-import=done]').waitFor();
      const { tool: other } = await tracker(call, 'Steps again');
      await go(page, `/data/tools/${other.id}`);
      await page.getByText('Import CSV').click();
      await choose(text.replaceAll(/^(id|ent_[^,]*),/gm, ''));
      await page.getByRole('button', { name: 'Import 4 entries' }).click();
      await page.locator('[data-import=done]').waitFor();
      const plain = async (id) => (await entriesOf(call, id)).map((e) => [e.timestamp, e.data]);
      same(await plain(other.id), await plain(tool.id), 'out and in again');
      // The headings of the table are those of the file too.
      await choose('When;Value (kg)\n2026-03-04T07:30:00Z;12\n');
      await page.getByText('“steps.csv” is ready: 1 entry.').waitFor();
      // A value is edited in place.
      const cell = rows(page).first().locator('[data-field="value"]');
      await cell.getByRole('button').click();
      await cell.getByRole('textbox').fill('77,5');
      await page.keyboard.press('Enter');
      await until('it is stored', async () => (await entriesOf(call, other.id))[0].data.value === 77.5);
    },
  },
  {
    name: 'a file is exported from a server that requires a key',
    async run({ locked, open }) {
      const { base, call, key } = await locked();
      const { tool } = await tracker(call, 'Secret', [5]);
      const page = await open({ base, at: `/data/tools/${tool.id}`, acceptDownloads: true });
      await page.getByLabel('API key').fill(key);
      await page.keyboard.press('Enter');
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download as CSV' }).click(),
      ]);
      check((await file.failure()) === null, 'the file came');
    },
  },
  {
    name: 'the search ignores accents, highlights matches, and links to them',
    async run({ open, call, shot }) {
      const zone = await call('POST', '/v1/zones', { name: 'Maison' });
      const notes = await call('POST', '/v1/tools', { zone_id: zone.id, tool_type: 'notes', name: 'Notes' });
      const made = await call('POST', `/v1/tools/${notes.id}/entries`, {
        data: { title: 'Le café', text: 'Moulu 😀 fin, <b>été</b> comme hiver.' },
      });
      const doc = await call('POST', '/v1/documents', {
        key: 'tea',
        title: 'Tea',
        body: 'Never coffee in summer (été).',
      });
      const page = await open({ at: '/data' });
      const box = page.getByLabel('Search entries, notes and documents');
      await box.fill('ete');
      await becomes(() => page.locator('[data-hit]').count(), 2, 'the note and the document');
      await becomes(() => page.locator('[data-q="ete"] mark').allInnerTexts(), ['été', 'été'], 'what is marked');
      same(await page.locator('[data-hit] b').count(), 0, 'text stays text');
      await tidy(page, 'the search');
      await shot(page, 'data-search');
      await box.fill('cafe');
      await becomes(() => page.locator('[data-q="cafe"] mark').first().innerText(), 'café', 'the title is marked');
      await page.locator(`[data-hit="${made.id}"] a`).click();
      await becomes(() => page.getByRole('dialog').getByLabel('Title').inputValue(), 'Le café', 'the entry is open');
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { level: 1, name: 'Notes' }).waitFor();
      await go(page, '/data');
      await box.fill('zzz');
      await page.getByText('No results. Try fewer words.').waitFor();
      await box.fill('été');
      await page.getByLabel('Type', { exact: true }).selectOption('document');
      await becomes(
        () => page.locator('[data-hit]').evaluateAll((all) => all.map((e) => e.dataset.hit)),
        [doc.id],
        'documents only',
      );
    },
  },
  {
    name: 'entries of others appear automatically and are highlighted; those of the AI name its session',
    async run({ open, call, demo, shot }) {
      await demo({ word_delay_ms: 0 });
      const { tool } = await tracker(call, 'Mood', [5]);
      const page = await open({ at: `/data/tools/${tool.id}` });
      await becomes(() => rows(page).count(), 1, 'one row');
      await call('POST', `/v1/tools/${tool.id}/entries`, { data: { value: 6 } });
      await page.locator('tr[data-fresh] [data-field=value]', { hasText: '6' }).waitFor();
      await page.locator('tr[data-fresh] [data-by=""]').waitFor();
      const { id } = await call('POST', '/v1/sessions', { type: 'CHAT', name: 'How I feel' });
      await call('POST', `/v1/sessions/${id}/messages`, { text: 'note 9 for mood' });
      await page.locator(`tr[data-entry] [data-by="${id}"]`).waitFor();
      await becomes(() => rows(page).first().locator('[data-field=value]').innerText(), '9', 'the AI’s value on top');
      await becomes(
        () => rows(page).first().getByRole('link', { name: 'How I feel' }).getAttribute('href'),
        `#/chat/${id}`,
        'the way to the session',
      );
      await page.getByText('3 values:').waitFor();
      await shot(page, 'data-live');
      await call('DELETE', `/v1/entries/${(await entriesOf(call, tool.id))[2].id}`);
      await becomes(() => rows(page).count(), 2, 'what others delete goes by itself');
    },
  },
  {
    name: 'two tabs edit the same entry: the second gets a conflict, keeps its input, loads the newest and saves',
    async run({ open, call }) {
      const { zone, tool } = await tracker(call, 'Shared', [1]);
      const page = await open({ at: `/data/tools/${tool.id}` });
      await rows(page).first().getByRole('button', { name: /^Edit/ }).click();
      await page.getByRole('dialog').getByLabel('Value').fill('3');
      const [entry] = await entriesOf(call, tool.id);
      await call('PATCH', `/v1/entries/${entry.id}`, { timestamp: '2026-01-01T10:00:00Z' });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('[data-code=precondition_failed]').waitFor();
      await tidy(page, 'a conflict');
      await page.getByRole('button', { name: 'Load the latest version' }).click();
      await page.getByText('Latest version loaded, with what you typed.').first().waitFor();
      same(await page.getByRole('dialog').getByLabel('Value').inputValue(), '3', 'what was typed');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      const [now] = await entriesOf(call, tool.id);
      same([now.data.value, now.timestamp.slice(0, 10)], [3, '2026-01-01'], 'both changes are there');

      await go(page, `/data/zones/${zone.id}`);
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Mine');
      await call('PATCH', `/v1/zones/${zone.id}`, { description: 'Theirs' });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Load the latest version' }).click();
      await becomes(() => page.getByLabel('Description').inputValue(), 'Theirs', 'their description');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { level: 1, name: 'Mine' }).waitFor();
    },
  },
  {
    name: 'a document: draft, publish, edit, compare, undo, delete and restore',
    async run({ open, call, shot }) {
      const page = await open({ at: '/data/documents' });
      await page.getByRole('button', { name: 'New document' }).click();
      await page.getByLabel('Title').fill('House rules');
      same(await page.getByLabel('Key').inputValue(), 'house_rules', 'a key made from the title');
      await page.getByRole('textbox', { name: 'Text' }).fill('# Rules\n\nShoes off.\nNo music after ten.');
      await page.getByRole('button', { name: 'Create draft' }).click();
      await page.getByRole('heading', { level: 1, name: 'House rules' }).waitFor();
      await page.getByText('Not read yet: publish it first.').waitFor();
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByText('Every chat and run reads this.').waitFor();
      await page.locator('[data-version]').waitFor();
      await page.getByRole('textbox', { name: 'Text' }).fill('# Rules\n\nShoes off.\nNo music after eleven.');
      await page.getByRole('button', { name: 'Save draft' }).click();
      await page.getByText('The published version is read until').waitFor();
      await tidy(page, 'a document');
      await shot(page, 'data-document');
      await page.getByRole('button', { name: /^Compare/ }).click();
      await becomes(
        () =>
          page
            .locator('[data-diff] ins, [data-diff] del')
            .evaluateAll((all) => all.map((e) => e.lastChild.textContent)),
        ['No music after ten.', 'No music after eleven.'],
        'the lines that differ',
      );
      await tidy(page, 'a version');
      await shot(page, 'data-version');
      await page.getByRole('button', { name: 'Use this text in the draft' }).click();
      await page.getByRole('button', { name: 'Save draft' }).click();
      await page.getByText('Every chat and run reads this.').waitFor();
      const [doc] = (await call('GET', '/v1/documents')).data;
      same(doc.body, '# Rules\n\nShoes off.\nNo music after ten.', 'the draft');
      await page.getByRole('textbox', { name: 'Text' }).fill('Mine');
      await call('PATCH', `/v1/documents/${doc.id}`, { title: 'Their title' });
      await page.getByRole('button', { name: 'Save draft' }).click();
      await page.getByRole('button', { name: 'Load the latest version' }).click();
      await becomes(() => page.getByLabel('Title').inputValue(), 'Their title', 'their title');
      same(await page.getByRole('textbox', { name: 'Text' }).inputValue(), 'Mine', 'my text');
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.locator(`[data-document="${doc.id}"]`).waitFor();
    },
  },
  {
    name: 'a checklist is ticked in its table, and user-defined types have forms too',
    async run({ open, call, shot }) {
      const page = await open({ at: '/data/types' });
      await page.getByRole('button', { name: 'New tool type' }).click();
      await page.getByLabel('Name').fill('Book');
      await page.getByLabel('Schema of an entry').fill('{ "type": ');
      await page.getByText('Invalid JSON').waitFor();
      await page.getByLabel('Schema of an entry').fill(
        JSON.stringify({
          type: 'object',
          properties: {
            title: { type: 'string', title: 'Title of it' },
            pages: { type: 'integer' },
            read: { type: 'boolean' },
          },
          required: ['title'],
        }),
      );
      await tidy(page, 'a new tool type');
      await page.getByRole('button', { name: 'Create tool type' }).click();
      await page.locator('[data-type=book]').waitFor();
      const zone = await call('POST', '/v1/zones', { name: 'Home' });
      const books = await call('POST', '/v1/tools', { zone_id: zone.id, tool_type: 'book', name: 'Books' });
      await go(page, `/data/tools/${books.id}`);
      await page.getByRole('button', { name: 'Add with details' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
      same((await entriesOf(call, books.id)).length, 0, 'a title is needed');
      await page.getByRole('dialog').getByLabel('Title of it').fill('Dune');
      await page.getByRole('dialog').getByLabel('pages').fill('412');
      await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
      await becomes(() => rows(page).locator('[data-field=pages]').allInnerTexts(), ['412'], 'the new book');
      await page.getByText('1 value: 412.').waitFor();
      await shot(page, 'data-book');

      await go(page, '/data/types');
      await doTo(page.locator('[data-type=book]'), 'Edit');
      await page.getByLabel('Schema of an entry').fill(
        JSON.stringify({
          type: 'object',
          properties: { title: { type: 'string' }, pages: { type: 'integer', maximum: 100 } },
          required: ['title'],
        }),
      );
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('[data-code=tool_type_misfit]').waitFor();
      await tidy(page, 'a schema that does not fit');
      await shot(page, 'data-misfit');
      await page.keyboard.press('Escape');
      await doTo(page.locator('[data-type=book]'), 'Delete');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.locator('[data-code=tool_type_in_use]').waitFor();
      await page.keyboard.press('Escape');

      const list = await call('POST', '/v1/tools', { zone_id: zone.id, tool_type: 'checklist', name: 'Shopping' });
      await go(page, `/data/tools/${list.id}`);
      await page.getByLabel('New: Text').fill('Milk');
      await page.keyboard.press('Enter');
      await page.getByRole('checkbox', { name: 'Done: Milk' }).click();
      await until('Milk is done', async () => (await entriesOf(call, list.id))[0].data.done === true);
      await becomes(() => page.getByRole('checkbox', { name: 'Done: Milk' }).isChecked(), true, 'the tick');
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByRole('checkbox', { name: 'Always include in requests' }).check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('.badge', { hasText: 'always included' }).waitFor();
      same((await call('GET', `/v1/tools/${list.id}`)).always_send, true, 'stored');
    },
  },
  {
    name: 'an emptied field is removed, and the rest is unchanged',
    async run({ open, call }) {
      const zone = await call('POST', '/v1/zones', { name: 'Goals' });
      const tool = await call('POST', '/v1/tools', {
        zone_id: zone.id,
        tool_type: 'goal',
        name: 'Running',
        config: { target: 'A marathon', criterion: 'Under four hours', deadline: '2026-12-31' },
      });
      await call('POST', `/v1/tools/${tool.id}/entries`, { data: { text: 'Shoes', done: false, progress: 10 } });
      const page = await open({ at: `/data/tools/${tool.id}` });
      const saved = async () => {
        await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      };
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByRole('dialog').getByLabel('Criterion').fill('');
      await page.getByRole('dialog').getByLabel('Target').fill('Half a marathon');
      await saved();
      const { config } = await call('GET', `/v1/tools/${tool.id}`);
      same(config, { deadline: '2026-12-31', target: 'Half a marathon' }, 'the config');

      await rows(page).first().getByRole('button', { name: /^Edit/ }).click();
      await page.getByRole('dialog').getByLabel('Progress').fill('');
      await saved();
      await page.getByRole('checkbox', { name: 'Done: Shoes' }).click();
      await until('it is done', async () => (await entriesOf(call, tool.id))[0].data.done === true);
      same((await entriesOf(call, tool.id))[0].data, { done: true, text: 'Shoes' }, 'the data');
    },
  },
  {
    name: 'ten thousand entries are charted by week and paged',
    async run({ open, call }) {
      const { tool } = await tracker(call, 'Steps of years');
      // Until the current time: in the first hour of a day, today is one of the seven days of its week.
      const from = Date.now() - 9_999 * 3_600_000;
      for (let n = 0; n < 20; n++) {
        await call('POST', `/v1/tools/${tool.id}/entries/batch`, {
          entries: Array.from({ length: 500 }, (_, i) => ({
            timestamp: new Date(from + (n * 500 + i) * 3_600_000).toISOString(),
            data: { value: (n * 37 + i * 11) % 1000 },
          })),
        });
      }
      const page = await open({ at: '/data' });
      const began = Date.now();
      await go(page, `/data/tools/${tool.id}`);
      await rows(page).first().waitFor();
      await page.getByText('10,000 values:').waitFor();
      await page.getByText('Too many values to draw one by one: grouped by week.').waitFor();
      await until(
        'the chart is drawn',
        async () =>
          (await page.locator('[data-chart] canvas').count()) === 1 &&
          Object.values(await inked(page)).some((n) => n > 100),
      );
      console.log(`      10,000 entries: read and drawn in ${Date.now() - began} ms`);
      same(await rows(page).count(), 50, 'a page of rows');
      const first = await rows(page).first().getAttribute('data-entry');
      await page.getByRole('button', { name: 'Older' }).click();
      await until('the next page', async () => (await rows(page).first().getAttribute('data-entry')) !== first);
      await page.getByText('Page 2').waitFor();
      await page.getByRole('button', { name: 'Newer' }).click();
      await becomes(() => rows(page).first().getAttribute('data-entry'), first, 'back on the first page');
      await page.getByLabel('Period').selectOption('week');
      await until('the week is counted', async () =>
        /^1[4-6]\d values:/.test(await page.locator('figcaption').innerText()),
      );
      await page.getByLabel('Grouped by').selectOption('day');
      await page.getByLabel('Value', { exact: true }).selectOption('sum');
      await page.getByText('Show as a table').click();
      await becomes(() => page.locator('figure tbody tr').count(), 7, 'seven days');
    },
  },
  {
    name: 'a change of theme redraws a chart; narrow, dark and in French nothing overflows',
    async run({ open, call, shot }) {
      const { zone, tool } = await tracker(call, 'Poids', [70, 71, 72.5, 71.2, 70.1]);
      await call('PATCH', `/v1/zones/${zone.id}`, { description: 'X'.repeat(10_000), colour: 'teal' });
      await call('PATCH', `/v1/tools/${tool.id}`, { name: 'W'.repeat(200), description: 'Y'.repeat(10_000) });
      const list = await call('POST', '/v1/tools', { zone_id: zone.id, tool_type: 'notes', name: 'Notes' });
      await call('POST', `/v1/tools/${list.id}/entries`, {
        data: { title: 'Z'.repeat(300), text: 'V'.repeat(10_000) },
      });
      const page = await open({ at: `/data/tools/${tool.id}` });
      const drawn = () =>
        until(
          'the chart is drawn',
          async () =>
            (await page.locator('[data-chart] canvas').count()) === 1 &&
            Object.values(await inked(page)).some((n) => n > 100),
        );
      const main = async () =>
        Object.entries(await inked(page))
          .toSorted((a, b) => b[1] - a[1])
          .map(([colour]) => colour);
      await drawn();
      const before = await main();
      await page.emulateMedia(dark);
      await until('it has other colours', async () => (await main())[0] !== before[0]);
      await tidy(page, 'a tool, dark');
      await shot(page, 'data-tool-dark');
      for (const look of [light, dark]) {
        const small = await open({ ...french, ...narrow, ...look });
        for (const at of [
          '/data',
          `/data/zones/${zone.id}`,
          `/data/tools/${tool.id}`,
          `/data/tools/${list.id}`,
          '/data/documents',
          '/data/types',
        ]) {
          await go(small, at);
          await tidy(small, `${at}, French, 320 px, ${look.colorScheme}`);
          await shot(small, `data-fr${at.replaceAll('/', '-').slice(0, 16)}-${look.colorScheme}`);
        }
      }
    },
  },
  {
    name: 'an address may name a deleted object',
    async run({ open }) {
      const page = await open({ at: '/data/tools/tol_01a1fe90527979989643ead2698c3cb1' });
      await page.getByText('This no longer exists.').waitFor();
      await tidy(page, 'a tool that is gone');
      await go(page, '/data/zones/%E0%A4%A');
      await page.getByText('This no longer exists.').waitFor();
    },
  },
];
