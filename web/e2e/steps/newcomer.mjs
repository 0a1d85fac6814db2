// A new user records a measurement, has the assistant change it with an approval, sets up a daily run, starts it,
// and finds its result.
import { check, same, until } from '../harness.mjs';

const main = (page) => page.getByRole('main');
const go = (page, name) => page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name }).click();

export const steps = [
  {
    name: 'a new user records, approves, and has a daily run',
    async run({ open, call }) {
      const page = await open({ at: '/' });
      await go(page, /^Data/);
      await main(page).getByRole('button', { name: 'Add the sample' }).click();

      // A measurement.
      await main(page)
        .getByLabel(/^New: Value/)
        .fill('72.4');
      await page.keyboard.press('Enter');
      await main(page)
        .getByRole('cell', { name: /^72\.4/ })
        .first()
        .waitFor();
      const [tool] = (await call('GET', '/v1/tools')).data;
      const values = async () =>
        (await call('GET', `/v1/tools/${tool.id}/entries?limit=50`)).data.map((e) => e.data.value);
      check((await values()).includes(72.4), 'the measurement is stored');

      // Changes need approval; the assistant makes one.
      await go(page, /^Settings/);
      await main(page).getByRole('link', { name: 'Approvals' }).click();
      await main(page)
        .getByRole('checkbox', { name: /^Every data change needs approval/ })
        .check(); // not the first one: there may be zones already
      await until('the workspace asks', async () => (await call('GET', '/v1/settings')).require_validation === true);
      await go(page, /^Chat/);
      await main(page).getByRole('textbox').last().fill('note 71.9 for Weight');
      await page.keyboard.press('Enter');
      await main(page).getByRole('button', { name: 'Approve', exact: true }).waitFor();
      check(!(await values()).includes(71.9), 'nothing is changed before the approval');
      await main(page).getByRole('button', { name: 'Approve', exact: true }).click();
      await main(page)
        .getByText(/^Noted: 71.9/)
        .waitFor();
      check((await values()).includes(71.9), 'the change is made after the approval');

      // A daily run, started at once: the idle chat yields the slot.
      await go(page, /^Automations/);
      await main(page)
        .getByRole('link', { name: /new automation/i })
        .first()
        .click();
      await main(page).getByLabel('Your request').fill('what do I have');
      await main(page).getByText('Next runs').waitFor();
      await main(page).getByRole('button', { name: 'Create' }).click();
      await main(page).getByRole('button', { name: 'Run now' }).click();
      await main(page).getByRole('button', { name: 'Let the next one begin' }).click();
      await main(page).locator('[data-ran=ended]').waitFor();
      const [daily] = (await call('GET', '/v1/automations')).data;
      same(daily.schedule.expression, '0 8 * * *', 'when it runs');
      check(daily.enabled, 'it runs again tomorrow');

      // Its result.
      await go(page, /^Runs/);
      await main(page)
        .getByText(/Weight/)
        .first()
        .waitFor();
      await main(page)
        .getByRole('button', { name: /^Details of/ })
        .first()
        .click();
      await main(page).getByRole('link', { name: 'Open the chat' }).click();
      await until('the conversation of the run is shown', async () => /\/chat\/ses_/.test(page.url()));
      await main(page)
        .getByText(/Weight/)
        .first()
        .waitFor();
    },
  },
];
