import { becomes, check, dark, french, narrow, same, tidy, until } from '../harness.mjs';

const automations = async (call) => (await call('GET', '/v1/automations')).data;

export const steps = [
  {
    name: 'a newcomer sets up a daily run, runs it now and finds its result',
    async run({ open, call, shot }) {
      const page = await open({ at: '/automations' });
      await page.getByRole('link', { name: 'Make the first one' }).click();
      await page.getByLabel('Your request').fill('what do I have');
      await page.getByText('It would run').waitFor();
      await until('five runs are shown', async () => await page.locator('[data-preview] li').count() === 5);
      await tidy(page, 'the form of a new automation');
      await shot(page, 'new');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { level: 1, name: 'what do I have' }).waitFor();
      const [made] = await automations(call);
      same(made.schedule.expression, '0 8 * * *', 'the schedule');
      await page.getByRole('button', { name: 'Run now' }).click();
      await page.locator('[data-ran]').waitFor();
      await page.locator('[data-run] [data-outcome="COMPLETED"]').first().waitFor();
      await shot(page, 'one');
      await tidy(page, 'an automation');
      await page.getByRole('link', { name: 'Runs', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
      await page.locator('[data-run] [data-outcome="COMPLETED"]').first().waitFor();
      await tidy(page, 'the runs');
      await shot(page, 'runs');
    },
  },
];
void becomes; void check; void dark; void french; void narrow;
