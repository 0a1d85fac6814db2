import { becomes, check, dark, french, narrow, same, tidy, until } from '../harness.mjs';

// quick sets up a step: a fast demo, every change needs approval, nothing is pending.
const quick = async ({ call }) => {
  if (!(await call('GET', '/v1/providers')).data.some((p) => p.is_default && p.name === 'Quick')) {
    await call('POST', '/v1/providers', {
      name: 'Quick',
      kind: 'demo',
      is_default: true,
      config: { word_delay_ms: 0 },
    });
  }
  await call('PATCH', '/v1/settings', { require_validation: true, approval_expiry: '0s' });
  // Pending approvals of another step would be listed before those of this one.
  for (const a of await open(call)) await call('POST', `/v1/sessions/${a.session_id}/stop`, {});
};
const open = async (call) => (await call('GET', '/v1/approvals?status=open&limit=200')).data;
const approval = (call, id) => call('GET', `/v1/approvals/${id}`);

// ask sends a message in a new session, and returns the approval that it causes.
async function ask(call, name, text) {
  const session = (await call('POST', '/v1/sessions', { name })).id;
  await call('POST', `/v1/sessions/${session}/messages`, { text });
  return until(`${name} asks`, async () => (await open(call)).find((a) => a.session_id === session));
}

// entry creates a record of 8 hours of sleep, and returns it with an approval for a change of it.
async function entry(world, name) {
  const { call } = world;
  await call('PATCH', '/v1/settings', { require_validation: false });
  const zone = await call('POST', '/v1/zones', { name });
  const tool = await call('POST', '/v1/tools', {
    zone_id: zone.id,
    tool_type: 'tracking',
    name: `Sleep ${name}`,
    config: { unit: 'h', min: 0, max: 24 },
  });
  const record = await call('POST', `/v1/tools/${tool.id}/entries`, { data: { value: 8 } });
  const asked = await ask(call, name, `change the last entry of Sleep ${name} to 7.75`);
  await call('PATCH', '/v1/settings', { require_validation: true });
  return { asked, record, value: async () => (await call('GET', `/v1/entries/${record.id}`)).data.value };
}

const card = (page, id) => page.locator(`[data-detail] [data-approval="${id}"]`);
const settled = (call, id, status) =>
  until(`${id} is ${status}`, async () => (await approval(call, id)).status === status);
const zones = async (call) => (await call('GET', '/v1/zones?limit=200')).data.map((z) => z.name);

export const steps = [
  {
    name: 'a pending approval is shown, approved, and applied',
    async run({ open: look, call, shot }) {
      await quick({ call });
      const page = await look({ at: '/approvals' });
      await page.getByText('All clear').waitFor();
      const asked = await ask(call, 'Rooms', 'create a zone Kitchen');
      await card(page, asked.id).waitFor(); // it arrived by an event
      check(await card(page, asked.id).getByText('Workspace rule').isVisible(), 'the rule that asked is not named');
      same(
        (await card(page, asked.id).locator('[data-field=name]').innerText()).split(/\s+/),
        ['Name', '+', 'new', 'Kitchen'],
        'the change, by a sign and a word',
      );
      await shot(page, 'approvals-one');
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await settled(call, asked.id, 'approved');
      await until('the zone is there', async () => (await zones(call)).includes('Kitchen'));
      await page.locator('[data-last=approved]').waitFor();
      await page.getByText('All clear').waitFor();
      await page.locator(`[data-recent="${asked.id}"]`).waitFor();
    },
  },
  {
    name: 'several new records are rows of a table',
    async run({ open: look, call, shot }) {
      await quick({ call });
      await call('PATCH', '/v1/settings', { require_validation: false });
      const zone = await call('POST', '/v1/zones', { name: 'Pantry' });
      await call('POST', '/v1/tools', { zone_id: zone.id, tool_type: 'checklist', name: 'Pantry list' });
      await call('PATCH', '/v1/settings', { require_validation: true });
      const asked = await ask(call, 'Rows', 'add eggs and rice to the pantry list');
      for (const [view, shape] of [
        ['wide', {}],
        ['narrow', narrow],
      ]) {
        const page = await look({ at: '/approvals', ...shape });
        if (shape === narrow) await page.locator('[data-row] button').first().click();
        const rows = card(page, asked.id).locator('[data-diff] tbody tr');
        await rows.first().waitFor();
        same(
          (await rows.allInnerTexts()).map((text) => text.split(/\s+/).filter(Boolean)),
          [
            ['+', 'new', 'eggs', 'no'],
            ['+', 'new', 'rice', 'no'],
          ],
          'a row a record, marked by a sign and a word, what it is before whether it is done',
        );
        await tidy(page, `rows, ${view}`);
        await shot(page, `approvals-rows-${view}`);
      }
    },
  },
  {
    name: 'the parts of a change that are not drawn are counted before the approval, and drawn on demand',
    async run({ open: look, call, shot }) {
      await quick({ call });
      await call('PATCH', '/v1/settings', { require_validation: false });
      const zone = await call('POST', '/v1/zones', { name: 'Archive' });
      const tools = { zone_id: zone.id, tool_type: 'tracking', config: { unit: 'h' } };
      const figures = await call('POST', '/v1/tools', { ...tools, name: 'Figures' });
      const notes = await call('POST', '/v1/tools', { ...tools, tool_type: 'notes', config: {}, name: 'Notes' });
      await call('PATCH', '/v1/settings', { require_validation: true });
      const entries = (tool, list) => ({
        name: 'CREATE_DATA',
        arguments: { tool_id: tool.id, entries: list.map((data) => ({ data })) },
      });
      const calls = {
        many: entries(
          figures,
          Array.from({ length: 400 }, (_, i) => ({ value: i })),
        ),
        long: entries(notes, [{ title: 'Long', text: `${'word '.repeat(600)}and the end` }]),
      };
      const script = await call('POST', '/v1/providers', {
        name: 'Much',
        kind: 'script',
        config: {
          steps: Object.entries(calls).map(([word, one]) => ({
            when: { contains: word, roundtrip: 1 },
            answer: { calls: [one] },
          })),
        },
      });
      const asked = {};
      for (const word of Object.keys(calls)) {
        const message = { text: word };
        const { id } = await call('POST', '/v1/sessions', {
          type: 'CHAT',
          name: word,
          provider_id: script.id,
          message,
        });
        asked[word] = await until(`${word} asks`, async () => (await open(call)).find((a) => a.session_id === id));
      }
      const page = await look({ at: `/approvals/${asked.many.id}` });
      const many = card(page, asked.many.id);
      await many.getByText('Not all of it is shown: 100 more records.').waitFor();
      await many.getByText('Not all that would be done is shown above yet.').waitFor();
      same(await many.locator('tbody tr').count(), 300, 'the rows that are drawn');
      await tidy(page, 'a card that does not draw all');
      await shot(page, 'approvals-not-all');
      await many.getByRole('button', { name: 'Show 100 more' }).click();
      await becomes(() => many.locator('tbody tr').count(), 400, 'all the rows');
      same(await many.locator('[data-cut], [data-more]').count(), 0, 'notes that there is more');
      const small = await look({ ...narrow, ...french, at: `/chat/${asked.long.session_id}` });
      const long = small.locator(`[data-approval="${asked.long.id}"]`);
      const whole = long.getByRole('button', { name: /^Afficher tout le texte \(3.011 caractères\)$/ });
      await whole.waitFor();
      await tidy(small, 'a long text, narrow');
      await shot(small, 'approvals-long-text');
      const text = long.locator('[data-field$=text] ins');
      const end = () =>
        text.evaluate(
          (ins) => ins.getBoundingClientRect().bottom <= ins.closest('p').getBoundingClientRect().bottom + 1,
        );
      check(!(await end()), 'the text is not cut');
      await whole.click();
      await until('the end of the text is drawn', end);
      const home = await look({ at: '/' });
      for (const { id } of Object.values(asked)) {
        const row = home.locator(`[data-approval="${id}"]`);
        await row.getByRole('link', { name: /^Review/ }).waitFor();
        same(
          await row.getByRole('button', { name: /^Approve/ }).count(),
          0,
          'no approve button if the line does not describe everything',
        );
      }
    },
  },
  {
    name: 'a rejection includes its reason',
    async run({ open: look, call }) {
      await quick({ call });
      const asked = await ask(call, 'Attic', 'create a zone Attic');
      const page = await look({ at: '/approvals' });
      await page.getByRole('button', { name: 'Refuse…' }).click();
      await page.keyboard.type('We have no attic');
      await page.getByRole('button', { name: 'Refuse with this reason' }).click();
      await settled(call, asked.id, 'refused');
      same((await approval(call, asked.id)).decision.comment, 'We have no attic', 'the reason');
      check(!(await zones(call)).includes('Attic'), 'it was made all the same');
    },
  },
  {
    name: 'edits in the form are what runs; invalid values are reported before they are sent',
    async run(world) {
      const { open: look, call, shot } = world;
      await quick(world);
      const { asked, value } = await entry(world, 'Edit');
      const page = await look({ at: '/approvals' });
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      const field = page.getByLabel('Value');
      await becomes(() => field.inputValue(), '7.75', 'the form shows what was proposed');
      check(await field.evaluate((box) => box === document.activeElement), 'what was proposed has the focus');
      await page
        .locator('[data-edit]')
        .getByRole('radio', { name: /^Sleep Edit, / })
        .waitFor(); // no id
      await field.fill('seven');
      await page.getByRole('button', { name: /^Approve/ }).click();
      await page.getByText('This is no number.').waitFor();
      same((await approval(call, asked.id)).status, 'open', 'what cannot be read was sent');
      await field.fill('6.5');
      check(
        (await card(page, asked.id).locator('[data-edited]').innerText()).includes('6.5'),
        'what was changed is not shown',
      );
      await shot(page, 'approvals-edit');
      await field.press('Escape');
      await becomes(() => page.locator('[data-edit]').count(), 0, 'Esc leaves the form');
      await page.getByRole('button', { name: 'Approve as edited' }).click();
      await settled(call, asked.id, 'approved');
      await until('the edited value is stored', async () => (await value()) === 6.5);
    },
  },
  {
    name: 'a part is approved, the rest is not run',
    async run({ open: look, call }) {
      await quick({ call });
      const asked = await ask(call, 'Two', 'create the zones Cellar and Garage');
      const page = await look({ at: '/approvals' });
      await page.getByRole('checkbox', { name: 'Add the zone “Cellar”' }).uncheck();
      await page.getByRole('button', { name: 'Approve 1 of 2' }).click();
      await settled(call, asked.id, 'approved');
      await until('the one is there', async () => (await zones(call)).includes('Garage'));
      check(!(await zones(call)).includes('Cellar'), 'what was not approved was done');
    },
  },
  {
    name: 'ten decisions by keyboard only',
    async run({ open: look, call }) {
      await quick({ call });
      const asked = [];
      for (let i = 0; i < 10; i++) asked.push(await ask(call, `Keys ${i}`, `create a zone Room ${i}`));
      const page = await look({ at: '/approvals' });
      await card(page, asked[0].id).waitFor();
      await page.keyboard.press('j');
      await card(page, asked[1].id).waitFor();
      await page.keyboard.press('k');
      const begun = Date.now();
      for (let i = 0; i < 10; i++) {
        await card(page, asked[i].id).waitFor(); // after a decision the next one is selected
        if (i % 2 === 0) await page.keyboard.press('a');
        else {
          await page.keyboard.press('r');
          await page.locator('[data-do=reason]:focus').waitFor();
          await page.keyboard.type('raj not now'); // shortcuts are inactive while the field has the focus
          await page.keyboard.press('Enter');
        }
      }
      for (const [i, a] of asked.entries()) await settled(call, a.id, i % 2 ? 'refused' : 'approved');
      console.log(`      ten decisions by keys: ${Date.now() - begun} ms`);
      same((await approval(call, asked[1].id)).decision.comment, 'raj not now', 'the reason');
    },
  },
  {
    name: 'single-key shortcuts can be turned off, and stay off',
    async run({ open: look, call }) {
      await quick({ call });
      const asked = await ask(call, 'Off', 'create a zone Off');
      const page = await look({ at: '/approvals' });
      await card(page, asked.id).waitFor();
      await page.getByLabel(/Single-key shortcuts/).uncheck();
      await page.reload();
      await card(page, asked.id).waitFor();
      await page.locator('#page-title').focus();
      await page.keyboard.press('r');
      check(!(await page.locator('[data-do=reason]').isVisible()), 'the key did something');
      await page.getByLabel(/Single-key shortcuts/).check();
      await page.locator('#page-title').focus();
      await page.keyboard.press('r');
      await page.locator('[data-do=reason]').waitFor();
    },
  },
  {
    name: 'several are approved in bulk, each with its result',
    async run({ open: look, call }) {
      await quick({ call });
      const asked = [
        await ask(call, 'B1', 'create a zone Bulk1'),
        await ask(call, 'B2', 'create a zone Bulk2'),
        await ask(call, 'B3', 'make a plan'),
      ];
      const page = await look({ at: '/approvals' });
      for (const a of asked.slice(0, 2)) await page.locator(`[data-row="${a.id}"] input[type=checkbox]`).check();
      same(
        await page.locator(`[data-row="${asked[2].id}"] input[type=checkbox]`).count(),
        0,
        'a plan is answered by itself',
      );
      await page.getByText('What exactly runs: 2 changes').click();
      same(
        await page.locator('[data-bulk-what] [data-field=name] ins').allInnerTexts(),
        ['Bulk1', 'Bulk2'],
        'what the yes is for',
      );
      await tidy(page, 'what several do');
      await page.getByRole('button', { name: 'Approve 2 selected' }).click();
      await page.getByText('2 of 2 approved').first().waitFor();
      same(await page.locator('[data-result=ok]').count(), 2, 'the results');
      await until('both are there', async () => (await zones(call)).filter((z) => z.startsWith('Bulk')).length === 2);
    },
  },
  {
    name: 'two tabs decide the same approval: one wins, the other shows the decision',
    async run({ open: look, call, line }) {
      await quick({ call });
      const asked = await ask(call, 'Race', 'create a zone Race');
      const [one, other] = [await look({ at: '/approvals' }), await look({ at: '/approvals' })];
      for (const page of [one, other]) await card(page, asked.id).waitFor();
      line.delay = 150; // both are pressed before either tab knows of the other
      await Promise.all([
        one.getByRole('button', { name: 'Approve', exact: true }).click(),
        other.keyboard.press('r').then(() => other.keyboard.press('Enter')),
      ]);
      await until('it is settled', async () => (await approval(call, asked.id)).status !== 'open');
      line.delay = 0;
      const { status } = await approval(call, asked.id);
      const loser = status === 'approved' ? other : one;
      await card(loser, asked.id).locator(`[data-settled=${status}]`).waitFor();
      await becomes(() => card(loser, asked.id).locator('button').count(), 0, 'nothing can be decided any more');
    },
  },
  {
    name: 'another tab shows that it was settled, and keeps it selected',
    async run({ open: look, call }) {
      await quick({ call });
      const asked = await ask(call, 'Onlooker', 'create a zone Onlooker');
      const page = await look({ at: '/approvals' });
      await card(page, asked.id).waitFor();
      await call('POST', `/v1/approvals/${asked.id}`, { approved: false, comment: 'by the API' });
      await card(page, asked.id).locator('[data-settled=refused]').waitFor();
      check(await card(page, asked.id).getByText('by the API').isVisible(), 'the reason is not shown');
      check((await card(page, asked.id).innerText()).includes('on this computer'), 'the decider is not shown');
    },
  },
  {
    name: 'stale data: nothing runs, the current values are shown, and approval is requested again',
    async run(world) {
      const { open: look, call } = world;
      await quick(world);
      const { asked, record, value } = await entry(world, 'Stale');
      const page = await look({ at: '/approvals' });
      await card(page, asked.id).waitFor();
      await call('PATCH', `/v1/entries/${record.id}`, { data: { value: 5 } });
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await page.locator('[data-changed]').waitFor();
      const again = (await open(call))[0];
      await card(page, again.id).waitFor();
      check(
        (await card(page, again.id).locator('[data-field="data.value"]').innerText()).includes('5'),
        'the present value is not shown',
      );
      same(await value(), 5, 'it ran all the same');
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await until('the second yes counts', async () => (await value()) === 7.75);
    },
  },
  {
    name: 'an answer that comes too late',
    async run({ open: look, call }) {
      await quick({ call });
      await call('PATCH', '/v1/settings', { approval_expiry: '3s', approval_on_expiry: 'deny' });
      const asked = await ask(call, 'Late', 'create a zone Late');
      await call('PATCH', '/v1/settings', { approval_expiry: '0s', approval_on_expiry: 'keep' });
      const page = await look({ at: '/approvals' });
      await page
        .getByText(/counts as refused|expired/)
        .first()
        .waitFor();
      await settled(call, asked.id, 'expired');
      await page.locator(`[data-recent="${asked.id}"]`).getByText('expired').first().waitFor();
      check(!(await zones(call)).includes('Late'), 'it was made all the same');
    },
  },
  {
    name: 'the key R decides nothing: it opens the reason, or focuses the button of a question',
    async run({ open: look, call }) {
      await quick({ call });
      await call('PATCH', '/v1/settings', { require_validation: false });
      const asked = await ask(call, 'Asked by R', 'ask me something');
      const page = await look({ at: '/approvals' });
      await card(page, asked.id).waitFor();
      await page.locator('body').press('r');
      const button = page.locator('[data-detail] [data-do=refuse]');
      await until('the button is in hand', () => button.evaluate((b) => b === document.activeElement));
      same((await approval(call, asked.id)).status, 'open', 'nothing was decided');
      await page.keyboard.press('Enter');
      await settled(call, asked.id, 'refused');
    },
  },
  {
    name: 'a question, a plan and a form are answered',
    async run({ open: look, call, shot }) {
      await quick({ call });
      await call('PATCH', '/v1/settings', { require_validation: false });
      const asked = [
        await ask(call, 'Question', 'ask me something'),
        await ask(call, 'Plan', 'make a plan'),
        await ask(call, 'Form', 'ask me with a form'),
      ];
      const page = await look({ at: '/approvals' });
      await card(page, asked[0].id).waitFor();
      await page.getByRole('button', { name: 'Send the answer' }).click();
      await page.getByText('Choose one first.').waitFor();
      await page.getByRole('radio', { name: 'My zones' }).check();
      await page.getByRole('button', { name: 'Send the answer' }).click();
      await card(page, asked[1].id).waitFor();
      await page.getByRole('button', { name: 'Yes, do it' }).click();
      await card(page, asked[2].id).waitFor();
      await shot(page, 'approvals-form');
      await page.getByRole('button', { name: 'Send the answer' }).click();
      await page.getByText('Required', { exact: true }).first().waitFor();
      await page.locator('input:focus').waitFor(); // the first invalid field
      await page.getByLabel('Name').fill('Water');
      await page.getByLabel('First value').fill('2.5');
      await page.getByRole('button', { name: 'Send the answer' }).click();
      for (const a of asked) await settled(call, a.id, 'approved');
      same((await approval(call, asked[0].id)).decision.value, 'My zones', 'the choice');
      same((await approval(call, asked[1].id)).decision.value, true, 'the plan');
      same(
        (await approval(call, asked[2].id)).decision.value,
        { name: 'Water', value: 2.5 },
        'the form: what was left empty is not invented',
      );
    },
  },
  {
    name: 'an exhausted budget is raised, or not',
    async run({ open: look, call, shot }) {
      await quick({ call });
      const script = await call('POST', '/v1/providers', {
        name: 'Dear',
        kind: 'script',
        config: { steps: [{ usage: { input_tokens: 100, output_tokens: 20, cost: 0.6 }, answer: { text: 'Said.' } }] },
      });
      const session = (await call('POST', '/v1/sessions', { name: 'Dear', provider_id: script.id })).id;
      await call('PATCH', `/v1/sessions/${session}`, { budgets: { max_cost_per_session: 1 } });
      const say = async (text) => {
        await call('POST', `/v1/sessions/${session}/messages`, { text });
        return until('it rests or asks', async () => {
          const s = await call('GET', `/v1/sessions/${session}`);
          return ['idle', 'requires_action'].includes(s.status) && s;
        });
      };
      await say('one');
      await say('two');
      await say('three');
      const asked = (await open(call)).find((a) => a.session_id === session);
      const page = await look({ at: '/approvals' });
      await card(page, asked.id)
        .getByText(/1\.20 of/)
        .waitFor();
      await shot(page, 'approvals-budget');
      await page.getByLabel(/New limit/).fill('5');
      await page.getByRole('button', { name: 'Raise and continue' }).click();
      await settled(call, asked.id, 'approved');
      await until(
        'the limit is raised',
        async () => (await call('GET', `/v1/sessions/${session}`)).budgets.max_cost_per_session === 5,
      );
    },
  },
  {
    name: 'the inbox is tidy in both themes, at 320 px, and in French',
    async run({ open: look, call, shot }) {
      await quick({ call });
      await ask(
        call,
        `A name of ${'many '.repeat(34)}words`,
        'draft a document House rules: Shoes off. No music after ten.',
      );
      await ask(call, 'Two', 'create the zones North and South');
      for (const [name, options] of [
        ['light', {}],
        ['dark', dark],
        ['narrow', narrow],
        ['narrow-dark', { ...narrow, ...dark }],
        ['fr', french],
      ]) {
        const page = await look({ at: '/approvals', ...options });
        if (name.startsWith('narrow')) await page.locator('[data-row] button').first().click();
        await page.locator('[data-do=edit]').first().click();
        await page.locator('[data-edit] input, [data-edit] textarea').first().waitFor();
        await tidy(page, `approvals ${name}`);
        await page.locator('[data-do=refuse]').click();
        await page.locator('[data-do=reason]').waitFor();
        await tidy(page, `approvals refusing ${name}`);
        await shot(page, `approvals-${name}`);
        if (name === 'fr') check(await page.getByText('Pourquoi on vous demande').isVisible(), 'it is not French');
        await page.context().close();
      }
    },
  },
];
