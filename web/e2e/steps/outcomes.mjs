import { check, dark, french, narrow, same, tidy, until } from '../harness.mjs';
import { shop } from '../outside.mjs';

const looks = [
  ['light', {}],
  ['dark-narrow-fr', { ...dark, ...narrow, ...french }],
  ['dark-wide', { ...dark, viewport: { width: 1440, height: 900 } }],
  ['light-narrow', narrow],
];

// buyer connects a shop and an AI that orders tea there, once per message.
async function buyer(call) {
  const there = await shop();
  await call('POST', '/v1/connectors', {
    name: 'Shop',
    kind: 'http',
    prefix: 'SHOP',
    config: { base_url: `${there.url}/v1` },
    commands: [
      {
        name: 'ORDER',
        description: 'Orders an item.',
        effect: 'non_idempotent',
        params_schema: { type: 'object', properties: { item: { type: 'string' } } },
        request: { method: 'POST', path: '/orders' },
      },
    ],
  });
  await call('POST', '/v1/providers', {
    name: 'Script',
    kind: 'script',
    is_default: true,
    config: {
      steps: [
        { when: { roundtrip: 1 }, answer: { calls: [{ name: 'SHOP_ORDER', arguments: { item: 'tea' } }] } },
        { answer: { text: 'I see.' } },
      ],
    },
  });
  return there;
}

const orders = (there) => there.asked.filter((a) => a.method === 'POST').length;
const outcome = (page) => page.locator('[data-kind="outcome"][data-status="open"]');

// order has the AI order tea in a chat, approves it, and returns the page.
async function order({ open, call }, name) {
  const chat = await call('POST', '/v1/sessions', { type: 'CHAT', name });
  const page = await open({ at: `/chat/${chat.id}` });
  await page.getByLabel('Message').fill('Buy tea.');
  await page.keyboard.press('Enter');
  await page.locator('[data-kind="actions"] [data-seen]').waitFor(); // a press counts once the action has been visible
  await page.locator('[data-kind="actions"]').getByRole('button', { name: 'Approve' }).click();
  return { page, chat };
}

export const steps = [
  {
    name: 'the external server breaks the connection: a person confirms that it happened, and nothing is sent again',
    async run(world) {
      const { open, call, shot } = world;
      const there = await buyer(call);
      try {
        there.orders = 'cut';
        const { page } = await order(world, 'Tea that came');
        await outcome(page).waitFor();
        same(orders(there), 1, 'it was sent once');
        await tidy(page, 'an unknown outcome');
        await shot(page, 'outcome-chat');
        for (const [look, options] of looks) {
          const inbox = await open({ ...options, at: '/approvals' });
          await inbox.locator('[data-row]').first().waitFor();
          if (!(await outcome(inbox).count()))
            await inbox.locator('[data-row] button[aria-current], [data-row] button').first().click();
          await outcome(inbox).waitFor();
          await tidy(inbox, `an outcome in the list ${look}`);
          await shot(inbox, `outcome-${look}`);
          await inbox.context().close();
        }
        await outcome(page).getByRole('button', { name: 'It happened', exact: true }).click();
        await page.locator('[data-system="EXTERNAL_RESULT"]').waitFor();
        await page.locator('[data-kind="outcome"]').getByText('answered').waitFor();
        await tidy(page, 'an outcome that is known');
        await shot(page, 'outcome-happened');
        same(orders(there), 1, 'nothing was sent again');
      } finally {
        there.close();
      }
    },
  },
  {
    name: 'the server is killed in the middle of a call: a person confirms that it did not happen',
    async run(world) {
      const { call, restart, shot } = world;
      const connectors = (await call('GET', '/v1/connectors')).data;
      for (const c of connectors) await call('DELETE', `/v1/connectors/${c.id}`);
      const there = await buyer(call);
      try {
        there.orders = 'hang';
        const { page } = await order(world, 'Tea that did not');
        await until('it was sent', async () => orders(there) === 1);
        await restart();
        await outcome(page).waitFor({ timeout: 60_000 });
        await shot(page, 'outcome-after-kill');
        await outcome(page).getByRole('button', { name: 'It did not happen' }).click();
        await page.locator('[data-system="EXTERNAL_RESULT"]').waitFor();
        same(orders(there), 1, 'it was sent once, whatever died');
        const { data } = await call('GET', '/v1/approvals');
        const said = data.find((a) => a.kind === 'outcome' && a.decision?.outcome === 'did_not');
        check(said, 'the answer is recorded');
      } finally {
        there.close();
      }
    },
  },
];
