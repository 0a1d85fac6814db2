import { becomes, check, dark, french, narrow, same, tidy, until } from '../harness.mjs';
import { mcp, shop } from '../outside.mjs';

const looks = [
  ['light', {}],
  ['dark-narrow-fr', { ...dark, ...narrow, ...french }],
  ['dark-wide', { ...dark, viewport: { width: 1440, height: 900 } }],
  ['light-narrow', narrow],
];

// seen checks an address in every variant with tidy.
async function seen({ open, shot }, at, name, ready) {
  for (const [look, options] of looks) {
    const page = await open({ ...options, at });
    await page.locator(ready).first().waitFor();
    await tidy(page, `${name} ${look}`);
    await shot(page, `${name}-${look}`);
    await page.context().close();
  }
}

const newest = async (call) => (await call('GET', '/v1/connectors')).data.at(-1);
const command = (page, name) => page.locator(`[data-command="${name}"]`);

export const steps = [
  {
    name: 'an API with a description is connected, tried, edited and deleted',
    async run({ open, call, shot }) {
      const there = await shop();
      try {
        const page = await open({ at: '/settings/connectors' });
        await page.getByText('No connectors yet.').waitFor();
        await tidy(page, 'no connectors');
        await page.getByRole('link', { name: 'Add a connector' }).click();
        await page.getByText('An API with an OpenAPI document').click();
        await page.getByLabel(/^Address of the document/).fill(`${there.url}/nowhere.json`);
        await seen({ open, shot }, '/settings/connectors/new', 'connectors-new', '[name="connector-what"]');
        await page.getByLabel(/^Address of the document/).fill(`${there.url}/openapi.json`);
        await page.getByRole('button', { name: 'Read the document' }).click();
        await page.locator('[data-pick]').getByText('2 commands found').waitFor();
        same(await page.getByLabel('Name (required)').inputValue(), 'Shop', 'the name that the document has');
        await page.getByText('1 picked').waitFor();
        await page.getByRole('button', { name: 'Pick all' }).click();
        await page.getByText('2 picked').waitFor();
        await page.getByRole('button', { name: 'Add a header' }).click();
        await page.getByLabel('Name', { exact: true }).fill('Authorization');
        await page.getByLabel('Value').fill('Bearer first');
        await tidy(page, 'commands of a document');
        await shot(page, 'connectors-pick');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('heading', { name: 'Shop' }).waitFor();
        const made = await newest(call);
        same(
          made.commands.map((c) => [c.name, c.state, c.require_validation]),
          [
            ['CREATE_ORDER', 'offered', true],
            ['GET_ITEM', 'offered', false],
          ],
          'both are offered, and the order asks first',
        );

        await page.getByRole('button', { name: 'Test' }).click();
        await page
          .locator('[data-test="ok"]')
          .getByText(/^Answers in .+ 2 commands\.$/)
          .waitFor();
        same(there.asked.at(-1).headers.authorization, 'Bearer first', 'with its header');
        await seen({ open, shot }, `/settings/connectors/${made.id}`, 'connectors-one', '[data-command]');

        await page.getByRole('button', { name: 'Edit' }).click();
        check((await page.locator('input[type=password]').inputValue()) === '', 'a secret is not given back');
        await page.getByText('Kept. Enter a new one to replace it.').waitFor();
        await page.getByLabel(/^Address/).fill('http://127.0.0.1:9/v1');
        await page.getByText('The address leads elsewhere now.').waitFor();
        check(await page.getByRole('button', { name: 'Save and test' }).isDisabled(), 'it is asked for again');
        await tidy(page, 'secrets to enter again');
        await shot(page, 'connectors-again');
        await page.getByLabel('Value').fill('Bearer second');
        await page.getByRole('button', { name: 'Save and test' }).click();
        await page.locator('[data-test="failed"]').waitFor();
        await page.getByLabel(/^Address/).fill(`${there.url}/v1`);
        await page.getByLabel('Value').fill('Bearer third');
        await page.getByRole('button', { name: 'Save and test' }).click();
        await page.locator('[data-test="ok"]').waitFor();
        same(there.asked.at(-1).headers.authorization, 'Bearer third', 'the new secret');
        await page.getByRole('button', { name: 'Close' }).click();

        await call('POST', '/v1/agents', {
          name: 'Buyer',
          description: 'Buys.',
          system_prompt: 'You buy.',
          commands: ['SHOP.GET_ITEM'],
        });
        await page.getByRole('button', { name: 'Delete' }).click();
        await page.locator('[data-missed]').getByText('Agents that use it: Buyer').waitFor();
        await tidy(page, 'what a connector is missed for');
        await shot(page, 'connectors-delete');
        await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
        await page.getByText('No connectors yet.').waitFor();
        same((await call('GET', '/v1/connectors')).data, [], 'it is gone');
      } finally {
        there.close();
      }
    },
  },
  {
    name: 'commands are defined by hand, with their rules, and edited',
    async run({ open, call, shot }) {
      const there = await shop();
      try {
        const page = await open({ at: '/settings/connectors/new' });
        await page.getByText('An API, by hand').click();
        await page.getByLabel('Name (required)').fill('Tea house');
        same(await page.getByLabel(/^Prefix/).inputValue(), 'TEAHOUSE', 'a prefix is proposed');
        await page.getByLabel(/^Address/).fill('nowhere');
        await page.getByRole('button', { name: 'Save' }).click();
        await page
          .getByText(/must begin with https/)
          .first()
          .waitFor();
        await page.getByLabel(/^Address/).fill(there.url);
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('No commands yet. Add one').waitFor();

        await page.getByRole('button', { name: 'Add a command' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Name (required)').fill('order');
        await dialog.getByLabel(/^What it does/).fill('Orders tea.');
        await dialog.getByLabel('Method').selectOption('POST');
        await dialog.getByLabel('Path (required)').fill('/orders/{item}');
        await dialog.getByRole('button', { name: 'Add a parameter' }).click();
        await dialog.locator('[data-param]').getByLabel('Name').fill('item');
        await dialog.locator('[data-param]').getByLabel('required').check();
        await tidy(page, 'a command is written');
        await shot(page, 'connectors-command');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await command(page, 'ORDER').waitFor();
        const [order] = (await newest(call)).commands;
        same(
          [order.name, order.effect, order.require_validation, order.request.path, order.params_schema.required],
          ['ORDER', 'non_idempotent', true, '/orders/{item}', ['item']],
          'it is stored as it was written',
        );

        await command(page, 'ORDER').locator('summary').click();
        await tidy(page, 'the rules of a command');
        await shot(page, 'connectors-rules');
        await command(page, 'ORDER').getByLabel('Ask me before each call').uncheck();
        await until('it asks no more', async () => !(await newest(call)).commands[0].require_validation);
        await command(page, 'ORDER').getByLabel('Time limit of a call').fill('10 minutes');
        await command(page, 'ORDER').getByLabel('Time limit of a call').press('Tab');
        await command(page, 'ORDER').locator('.wrong').waitFor();
        await command(page, 'ORDER').getByLabel('Time limit of a call').fill('40s');
        await command(page, 'ORDER').getByLabel('Time limit of a call').press('Tab');
        await until('the time limit is stored', async () => (await newest(call)).commands[0].timeout === '40s');
        await command(page, 'ORDER').getByRole('button', { name: 'Turn off' }).click();
        await becomes(() => command(page, 'ORDER').getAttribute('data-state'), 'off', 'it is off');

        await command(page, 'ORDER').getByRole('button', { name: 'Edit' }).click();
        await dialog.getByLabel(/^What it does/).fill('Orders tea of one kind.');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Orders tea of one kind.').waitFor();
        const [again] = (await newest(call)).commands;
        same([again.state, again.timeout, again.require_validation], ['off', '40s', false], 'its rules stay');
        await command(page, 'ORDER').getByRole('button', { name: 'Remove', exact: true }).click();
        await dialog.getByRole('button', { name: 'Remove' }).click();
        await page.getByText('No commands yet. Add one').waitFor();
        await call('DELETE', `/v1/connectors/${(await newest(call)).id}`);
      } finally {
        there.close();
      }
    },
  },
  {
    name: 'a new user connects an MCP server: its JSON is pasted, read-only commands are enabled at once, and sign-in is offered',
    async run({ open, call, shot }) {
      const there = await mcp();
      try {
        const tool = (name, readOnlyHint) => ({
          name,
          description: `Does ${name}.`,
          inputSchema: { type: 'object', properties: {} },
          annotations: { readOnlyHint },
        });
        there.tools = [tool('list_issues', true), tool('read_issue', true), tool('close_issue', false)];
        const page = await open({ at: '/settings/connectors/new' });
        const paste = page.getByLabel(/^Address, command or JSON/);
        await paste.fill('{"mcpServers": {');
        await page.getByText('This isn’t an address').waitFor();
        check(await page.getByRole('button', { name: 'Connect' }).isDisabled(), 'nothing to connect yet');
        await paste.fill('npx -y @modelcontextprotocol/server-everything');
        await page.locator('[data-understood="program"]').waitFor();
        same(await page.getByLabel('Name (required)').inputValue(), 'Everything', 'the name of a program');
        await paste.fill(JSON.stringify({ mcpServers: { tracker: { url: `${there.url}/mcp` } } }, null, 2));
        await page.locator('[data-understood="address"]').waitFor();
        same(await page.getByLabel('Name (required)').inputValue(), 'tracker', 'the name that the JSON has');
        await tidy(page, 'a server is pasted');
        await shot(page, 'connectors-paste');
        await page.getByRole('button', { name: 'Connect' }).click();
        await page.getByRole('heading', { name: 'tracker' }).waitFor();
        await page.getByRole('button', { name: 'Offer the 2 that only read' }).click();
        await becomes(() => command(page, 'READ_ISSUE').getAttribute('data-state'), 'offered', 'it only reads');
        same(
          (await newest(call)).commands.map((c) => [c.name, c.state]),
          [
            ['LIST_ISSUES', 'offered'],
            ['READ_ISSUE', 'offered'],
            ['CLOSE_ISSUE', 'off'],
          ],
          'what is offered',
        );
        await shot(page, 'connectors-offered');

        there.refused = true;
        await page.goto(`${new URL(page.url()).origin}/#/settings/connectors/new`);
        await paste.fill(`${there.url}/mcp`);
        await page.getByLabel('Name (required)').fill('Closed');
        await page.getByRole('button', { name: 'Connect' }).click();
        await page.locator('[data-trouble="needs_sign_in"]').getByRole('button', { name: 'Enter a token…' }).waitFor();
        await tidy(page, 'the ways in');
        await shot(page, 'connectors-let-in');
        await page.locator('[data-trouble]').getByRole('button', { name: 'Sign in there…' }).click();
        await page.locator('[data-trouble]').getByRole('button', { name: 'Sign in', exact: true }).waitFor();
        same((await newest(call)).config.auth, 'oauth', 'by signing in');
        for (const { id } of (await call('GET', '/v1/connectors')).data) await call('DELETE', `/v1/connectors/${id}`);
      } finally {
        there.close();
      }
    },
  },
  {
    name: 'a changed command of an MCP server is shown before and after, and accepted',
    async run({ open, call, shot }) {
      const there = await mcp();
      try {
        const tool = (name, description, more = {}) => ({
          name,
          description,
          inputSchema: { type: 'object', properties: { id: { type: 'string' }, ...more } },
        });
        there.tools = [tool('close_issue', 'Closes an issue.'), tool('list_issues', 'Lists issues.')];
        const page = await open({ at: '/settings/connectors/new' });
        await page.getByLabel('Name (required)').fill('Issues');
        await page.getByLabel(/^Address, command or JSON/).fill(`${there.url}/mcp`);
        await page.getByRole('button', { name: 'Connect' }).click();
        await command(page, 'CLOSE_ISSUE').waitFor();
        same(await command(page, 'CLOSE_ISSUE').getAttribute('data-state'), 'off', 'new ones are off');
        await command(page, 'CLOSE_ISSUE').locator('summary').click();
        await command(page, 'CLOSE_ISSUE').getByRole('button', { name: 'Offer to the AI' }).click();
        await becomes(() => command(page, 'CLOSE_ISSUE').getAttribute('data-state'), 'offered', 'it is offered');

        there.tools[0] = tool('close_issue', 'Closes an issue, and deletes it.', { force: { type: 'boolean' } });
        await page.getByRole('button', { name: 'List commands again' }).click();
        await page.locator('[data-changed="CLOSE_ISSUE"]').waitFor();
        const diff = page.locator('[data-changed="CLOSE_ISSUE"] [data-diff]');
        await diff.getByText('Closes an issue.', { exact: true }).waitFor();
        await diff.getByText('Closes an issue, and deletes it.').waitFor();
        await diff.getByText('{force}').waitFor();
        const { id } = await newest(call);
        await seen({ open, shot }, `/settings/connectors/${id}`, 'connectors-changed', '[data-diff]');
        await seen({ open, shot }, '/settings/connectors', 'connectors-list', '[data-connector]');
        await page.getByRole('button', { name: 'Accept and offer' }).click();
        await becomes(() => command(page, 'CLOSE_ISSUE').getAttribute('data-state'), 'offered', 'it is accepted');
        same((await newest(call)).commands[0].looked_at, null, 'not reviewed yet');

        there.refused = true;
        await page.getByRole('button', { name: 'Test' }).click();
        await page.locator('[data-state="needs_sign_in"]').waitFor();
        await page.locator('[data-trouble="needs_sign_in"]').waitFor();
        await tidy(page, 'a sign-in is needed');
        await shot(page, 'connectors-sign-in');
        await page.getByRole('button', { name: 'Turn off' }).first().click();
        await page.locator('[data-state="disabled"]').waitFor();
        await call('DELETE', `/v1/connectors/${id}`);
      } finally {
        there.close();
      }
    },
  },
];
