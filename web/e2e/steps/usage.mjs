import { becomes, dark, french, narrow, same, tidy, until } from '../harness.mjs';

export const steps = [
  {
    name: 'usage is summed by day and by who used it, and held against budgets',
    async run({ open, call, shot }) {
      const page = await open({ at: '/usage' });
      await page.getByText('Nothing was used in this time.').waitFor();
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
      await page.getByText('of models without a known price').waitFor();
      await page.getByText('The same in numbers').click();
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
];
