import { becomes, dark, french, narrow, same, tidy, until } from '../harness.mjs';

export const steps = [
  {
    name: 'usage is summed by day and by consumer, and compared with budgets',
    async run({ open, call, shot }) {
      const page = await open({ at: '/usage' });
      await page.getByText('No AI calls in this period.').waitFor();
      const chat = await call('POST', '/v1/sessions', { name: 'Asked', message: 'what do I have' });
      await until(
        'the demo has answered',
        async () =>
          (await call('GET', `/v1/sessions/${chat.id}`)).phase === 'IDLE' &&
          (await call('GET', '/v1/usage')).data.length === 1,
      );
      const [{ calls, input_tokens: input, output_tokens: output }] = (await call('GET', '/v1/usage')).data;
      const plain = (text) => Number(text.replaceAll(/\D/g, ''));
      await becomes(
        async () => plain(await page.locator('[data-total="tokens"] dd').textContent()),
        input + output,
        'all tokens',
      );
      await becomes(async () => plain(await page.locator('[data-total="calls"] dd').textContent()), calls, 'all calls');
      // The demo is free, not of an unknown price; a real model without a price has a way to set it.
      await page.locator('[data-total="cost"]').getByText('Free').waitFor();
      same(await page.locator('[data-unpriced]').count(), 0, 'calls without a price');
      await page.getByText('Show as a table').click();
      same(await page.locator('details table tbody tr').count(), 1, 'one day in numbers');
      await page.getByRole('combobox', { name: 'By' }).selectOption('session');
      await page.locator('[data-group="session"]').getByRole('link', { name: 'Asked' }).waitFor();
      await call('PATCH', '/v1/settings', { limits: { chat: { max_cost_per_day: 2 } } });
      await page.reload();
      await page.locator('[data-budget="chat-day"]').getByText('US$2.00').waitFor();
      await tidy(page, 'usage');
      await shot(page, 'usage-light');
      const other = await open({ ...dark, ...narrow, ...french, at: '/usage' });
      await other.locator('[data-total="tokens"]').waitFor();
      await tidy(other, 'usage, dark, narrow, French');
      await shot(other, 'usage-dark-narrow-fr');
    },
  },
  {
    name: 'a model without a price has a link to set it, and failed calls count as no model',
    async run({ open, call, shot }) {
      const page = await open({ at: '/usage' });
      const sum = (key, more) => ({
        key,
        label: null,
        calls: 10,
        errors: 0,
        unpriced_calls: 10,
        input_tokens: 900,
        cache_read_tokens: 0,
        cache_write_tokens: 0,
        output_tokens: 100,
        reasoning_tokens: 0,
        cost: null,
        ...more,
      });
      const today = new Date().toISOString().slice(0, 10);
      let errors = 5;
      await page.route(/\/v1\/usage\?/, (route) => {
        const group = new URL(route.request().url()).searchParams.get('group_by');
        const data =
          group === 'model'
            ? [sum('house/model'), sum('', { calls: 5, errors, input_tokens: 0, output_tokens: 0 })]
            : [sum(group === 'day' ? today : group === 'automation' ? '' : 'x')];
        return route.fulfill({ json: { data, next_cursor: null } });
      });
      await page.reload();
      await page.locator('[data-unpriced="10"]').waitFor();
      await page.locator('[data-group="model"]').getByText('Failed before a model answered').waitFor();
      await page.locator('[data-advice="errors"]').getByRole('link', { name: 'Check the provider' }).waitFor();
      await tidy(page, 'usage without prices');
      await shot(page, 'usage-prices');
      errors = 0; // five calls that were stopped
      await page.reload();
      await page.locator('[data-group="model"]').getByText('Stopped before a model answered').waitFor();
      await page.locator('[data-unpriced]').getByRole('link', { name: 'Set a price' }).click();
      const row = page.locator('[data-price="house/model"]');
      await row.getByLabel(/^Input price/).fill('2');
      await row.getByLabel(/^Output price/).fill('8,5');
      await page.keyboard.press('Tab');
      await until(
        'the price is stored',
        async () => (await call('GET', '/v1/settings')).prices['house/model']?.output === 8.5,
      );
      await tidy(page, 'prices of models');
      await shot(page, 'settings-prices');
      await page.getByRole('button', { name: 'Undo' }).click();
      await until('it is taken back', async () => !(await call('GET', '/v1/settings')).prices['house/model']);
    },
  },
];
