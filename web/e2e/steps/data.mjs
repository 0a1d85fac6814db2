import { becomes, check, dark, french, light, narrow, same, tidy, until } from '../harness.mjs';
import { go } from '../screens.mjs';

const entriesOf = async (call, tool) => (await call('GET', `/v1/tools/${tool}/entries?limit=200`)).data;

// tracker makes a zone with a tool for numbers, past the page.
async function tracker(call, name, values = []) {
  const zone = await call('POST', '/v1/zones', { name: `Zone of ${name}` });
  const tool = await call('POST', '/v1/tools', { zone_id: zone.id, tool_type: 'tracking', name, config: { unit: 'kg' } });
  const day = 86_400_000;
  if (values.length) await call('POST', `/v1/tools/${tool.id}/entries/batch`, { entries: values.map((value, i) => ({ timestamp: new Date(Date.now() - (values.length - i) * day).toISOString(), data: { value } })) });
  return { zone, tool };
}

// inked counts the pixels of a chart that are not empty, by their colour.
const inked = (page) => page.locator('[data-chart] canvas').evaluate((canvas) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const colours = {};
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200) { const key = `${data[i]},${data[i + 1]},${data[i + 2]}`; colours[key] = (colours[key] ?? 0) + 1; }
  return colours;
});
const rows = (page) => page.locator('tr[data-entry]');

export const steps = [
  {
    name: 'a newcomer makes a zone and a tool, records numbers, sees them drawn, mends, deletes and undoes',
    async run({ open, call, shot }) {
      const page = await open({ at: '/data' });
      await page.getByRole('button', { name: 'Make your first zone' }).waitFor();
      await tidy(page, 'no data yet');
      await shot(page, 'data-empty');
      await page.getByRole('button', { name: 'Make your first zone' }).click();
      await page.getByLabel('Name').fill('Health');
      await page.getByRole('radio', { name: 'green' }).check();
      await tidy(page, 'a new zone');
      await page.getByRole('button', { name: 'Make the zone' }).click();
      await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor();
      await page.getByRole('button', { name: 'New tool' }).first().click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Weight');
      await page.getByLabel('Unit').fill('kg');
      await shot(page, 'data-new-tool');
      await page.getByRole('button', { name: 'Make the tool' }).click();
      await page.getByRole('heading', { level: 1, name: 'Weight' }).waitFor();
      for (const value of ['72.5', '73,25', '71']) {
        await page.getByLabel('New: Value (kg)').fill(value);
        await page.keyboard.press('Enter');
        await becomes(() => page.getByLabel('New: Value (kg)').inputValue(), '', 'the field is empty again');
      }
      const [zone] = (await call('GET', '/v1/zones')).data;
      const [tool] = (await call('GET', `/v1/tools?zone_id=${zone.id}`)).data;
      same((await entriesOf(call, tool.id)).map((e) => e.data.value), [71, 73.25, 72.5], 'what is stored');
      await becomes(() => rows(page).locator('[data-field=value]').allInnerTexts(), ['71', '73.25', '72.5'], 'the table, newest first');
      await page.getByText('3 values: smallest 71 kg, largest 73.25 kg, average 72.25 kg, last 71 kg.').waitFor();
      await until('the chart is drawn', async () => Object.values(await inked(page)).some((n) => n > 100));
      await page.getByText('The same numbers as a table').click();
      await becomes(() => page.locator('figure tbody td').allInnerTexts(), ['71', '73.25', '72.5'], 'the numbers beside the chart');
      await tidy(page, 'a tool');
      await shot(page, 'data-tool');
      await page.getByLabel('New: Value (kg)').fill('seventy');
      await page.keyboard.press('Enter');
      await page.getByText('Write a number, such as 72.5.').waitFor();

      await rows(page).first().getByRole('button', { name: /^Edit/ }).click();
      await page.getByRole('dialog').getByLabel('Value').fill('70.5');
      await tidy(page, 'an entry is edited');
      await page.getByRole('button', { name: 'Save' }).click();
      await becomes(() => rows(page).first().locator('[data-field=value]').innerText(), '70.5', 'the mended value');
      await rows(page).first().getByRole('button', { name: /^Delete/ }).click();
      await page.getByText('1 entry was deleted.').waitFor();
      await becomes(() => rows(page).count(), 2, 'a row less');
      await page.getByRole('button', { name: 'Undo' }).click();
      await becomes(() => rows(page).count(), 3, 'it is back');
      await page.getByLabel('Select all that are shown').check();
      await page.getByRole('button', { name: 'Delete 3 entries' }).click();
      await page.getByText('No entries yet.').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await becomes(() => rows(page).count(), 3, 'all are back');

      await go(page, `/data/zones/${zone.id}`);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('“Health” was deleted.').waitFor();
      same((await call('GET', '/v1/zones')).data.length, 0, 'zones');
      await page.reload();
      await page.getByText('Recently deleted here (1)').click();
      await tidy(page, 'what was deleted');
      await page.getByRole('button', { name: 'Bring back “Health”' }).click();
      await page.getByRole('link', { name: 'Weight' }).waitFor();
      same((await entriesOf(call, tool.id)).length, 3, 'the entries came back with the zone');
      await shot(page, 'data-overview');
    },
  },
  {
    name: 'one click starts with an example',
    async run({ freshServer, open }) {
      const { base, call } = await freshServer();
      const page = await open({ base, at: '/data' });
      await page.getByRole('button', { name: 'Start with an example' }).click();
      await page.getByRole('heading', { level: 1, name: 'Weight' }).waitFor();
      await until('the chart is drawn', async () => await page.locator('[data-chart] canvas').count() === 1 && Object.values(await inked(page)).some((n) => n > 100));
      same((await call('GET', '/v1/zones')).data.map((z) => z.name), ['Health'], 'zones');
    },
  },
];
void [check, dark, french, light, narrow, tracker];
