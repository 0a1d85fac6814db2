import { becomes, check, dark, french, narrow, same, tidy, until } from '../harness.mjs';
import { worker } from '../outside.mjs';

const looks = [
  ['light', {}],
  ['dark-narrow-fr', { ...dark, ...narrow, ...french }],
  ['dark-wide', { ...dark, viewport: { width: 1440, height: 900 } }],
  ['light-narrow', narrow],
];

// studio connects a service with long-running tasks, and an AI that orders two films there.
async function studio(call) {
  const there = await worker();
  const made = await call('POST', '/v1/connectors', {
    name: 'Studio',
    kind: 'long_running',
    prefix: 'FILM',
    config: { base_url: there.url },
    commands: [
      {
        name: 'RENDER',
        description: 'Renders a film.',
        effect: 'idempotent',
        deadline: '30m',
        cancel_path: '/cancel',
        params_schema: { type: 'object', properties: { title: { type: 'string' } } },
      },
    ],
  });
  there.secret = made.config.signing_secret;
  const render = (title) => ({ calls: [{ name: 'FILM_RENDER', arguments: { title } }] });
  await call('POST', '/v1/providers', {
    name: 'Script',
    kind: 'script',
    is_default: true,
    config: {
      steps: [
        { when: { result: 'premiere' }, answer: { text: 'The film is ready.' } },
        { when: { contains: 'first', roundtrip: 1 }, answer: render('First') },
        { when: { contains: 'second', roundtrip: 1 }, answer: render('Second') },
        { answer: { text: 'I wait.' } },
      ],
    },
  });
  return there;
}

const tasks = (page) => page.locator('[data-task]');

export const steps = [
  {
    name: 'a service is connected manually, and its signing secret is shown once',
    async run({ open, call, shot }) {
      const page = await open({ at: '/settings/connectors/new' });
      await page.getByText('A service for long work').click();
      await page.getByLabel('Name (required)').fill('Studio');
      await page.getByLabel(/^Address/).fill('http://127.0.0.1:9');
      await page.getByRole('button', { name: 'Save' }).click();
      const secret = await page.locator('[data-new-secret]').textContent();
      check(secret.startsWith('whsec_'), 'the secret is shown');
      await tidy(page, 'a signing secret');
      await shot(page, 'tasks-secret');
      await page.getByRole('button', { name: 'I have copied it' }).click();
      await page.getByRole('heading', { name: 'Studio' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Studio' }).waitFor();
      same(await page.getByText(secret).count(), 0, 'it is shown this once');
      for (const c of (await call('GET', '/v1/connectors')).data) await call('DELETE', `/v1/connectors/${c.id}`);
    },
  },
  {
    name: 'a task is shown in the chat and in the list, ends, and is cancelled',
    async run({ open, call, shot }) {
      const there = await studio(call);
      try {
        const list = await open({ at: '/tasks' });
        await list.getByText('No tasks', { exact: true }).waitFor();
        await tidy(list, 'no tasks');
        const chat = await call('POST', '/v1/sessions', { type: 'CHAT', name: 'Films' });
        const page = await open({ at: `/chat/${chat.id}` });
        await page.getByLabel('Message').fill('Make the first film.');
        await page.keyboard.press('Enter');
        await tasks(page).getByText('Time limit').waitFor();
        await tasks(list).first().waitFor();
        const [order] = await until('the order is there', () => there.orders.length > 0 && there.orders);
        same(
          await there.report(order, { status: 'running', progress: { percent: 40, text: 'cutting' } }),
          200,
          'the report is accepted',
        );
        await page.locator('[data-progress="40"]').getByText('cutting').waitFor();
        await list.locator('[data-progress="40"]').waitFor();
        await tidy(page, 'a task in a chat');
        await shot(page, 'tasks-chat');
        for (const [look, options] of looks) {
          const other = await open({ ...options, at: '/tasks' });
          await tasks(other).first().waitFor();
          await tidy(other, `tasks ${look}`);
          await shot(other, `tasks-${look}`);
          await other.context().close();
        }
        same(await there.report(order, { status: 'succeeded', result: { film: 'premiere' } }), 200, 'done');
        await page.getByRole('article').getByText('The film is ready.').waitFor();
        await becomes(() => tasks(page).first().getAttribute('data-status'), 'succeeded', 'the card says so');
        await becomes(() => tasks(list).first().getAttribute('data-status'), 'succeeded', 'so does the list');
        await list.getByText('Result').click();
        await list.getByText('premiere').waitFor();

        await page.getByLabel('Message').fill('Make the second film.');
        await page.keyboard.press('Enter');
        // The chat has read the service's external content: its next order needs approval.
        const asked = page.locator('[data-approval][data-status="open"]');
        await asked.locator('[data-level="outside"]').waitFor();
        await tidy(page, 'an action after words from outside');
        await shot(page, 'tasks-outside');
        await asked.getByRole('button', { name: 'Approve' }).click();
        await until('the second order is there', () => there.orders.length > 1);
        await list.getByRole('link', { name: 'Running' }).click();
        await becomes(() => tasks(list).count(), 1, 'only what runs is shown');
        await list.getByRole('button', { name: 'Cancel task' }).click();
        await tidy(list, 'a task is cancelled');
        await list.getByRole('dialog').getByRole('button', { name: 'Cancel task' }).click();
        await list.getByText('No task is like this.').waitFor();
        await becomes(() => tasks(page).nth(1).getAttribute('data-status'), 'cancelled', 'the chat knows');
        await until('the service receives the cancellation', () => there.cancelled.length > 0);
        await there.report(there.orders[1], { status: 'succeeded', result: {} });
        await list.getByRole('link', { name: 'Cancelled' }).click();
        await list.locator('[data-late]').waitFor();
        await tidy(list, 'a late report');
        await shot(list, 'tasks-late');
      } finally {
        there.close();
      }
    },
  },
];
