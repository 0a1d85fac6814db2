import { becomes, check, dark, doTo, french, narrow, same, tidy, until } from '../harness.mjs';

const looks = [
  ['light', {}],
  ['dark-narrow-fr', { ...dark, ...narrow, ...french }],
  ['dark-wide', { ...dark, viewport: { width: 1440, height: 900 } }],
  ['light-narrow', narrow],
];

async function seen({ open, shot }, at, name, ready) {
  for (const [look, options] of looks) {
    const page = await open({ ...options, at });
    await page.locator(ready).first().waitFor();
    await tidy(page, `${name} ${look}`);
    await shot(page, `${name}-${look}`);
    await page.context().close();
  }
}

// clerk is an AI that delegates documents to an agent, which writes, publishes and reports.
const clerk = (call) =>
  call('POST', '/v1/providers', {
    name: 'Script',
    kind: 'script',
    is_default: true,
    config: {
      steps: [
        { when: { contains: 'Write down', roundtrip: 1 }, answer: update('Open until six.') },
        { when: { contains: 'Write down', roundtrip: 2 }, answer: one('CONTEXT_PUBLISH', { key: 'hours' }) },
        {
          when: { contains: 'Write down', roundtrip: 3 },
          answer: one('COMPLETE', { reason: 'done', result: 'It stands in hours.' }),
        },
        {
          when: { contains: 'note the hours', roundtrip: 1 },
          answer: one('AGENT_CONTEXT_MANAGER', { query: 'Write down: open until six.' }),
        },
        { answer: { text: 'It is noted.' } },
      ],
    },
  });
const one = (name, args) => ({ calls: [{ name, arguments: args }] });
const update = (body) => one('CONTEXT_UPDATE', { key: 'hours', title: 'Hours', body });

export const steps = [
  {
    name: 'an agent is created, tried, edited, disabled and deleted',
    async run({ open, call, shot }) {
      await clerk(call);
      const page = await open({ at: '/settings/agents' });
      await page.getByRole('link', { name: 'ContextManager' }).waitFor();
      await seen({ open, shot }, '/settings/agents', 'agents-list', '[data-agent]');
      await page.getByRole('link', { name: 'Add an agent' }).click();
      await page.getByLabel('Name (required)').fill('Two words');
      await page.getByLabel(/^What it is for/).fill('Writes things down.');
      await page.getByLabel(/^Instructions/).fill('You write down what you are told.');
      await page.getByRole('checkbox', { name: /^SEARCH/ }).check();
      await page.getByRole('checkbox', { name: /^CONTEXT_UPDATE/ }).check();
      await page.getByText('2 picked').waitFor();
      await seen({ open, shot }, '/settings/agents/new', 'agents-new', 'input[type=checkbox]');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('.field .wrong').first().waitFor();
      await page.getByLabel('Name (required)').fill('NoteTaker');
      await page.getByText('The AI calls it as AGENT.NOTE_TAKER.').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      const mine = page.locator('[data-agent]').filter({ hasText: 'NoteTaker' });
      await mine.getByText('AGENT.NOTE_TAKER').waitFor();
      const stored = (await call('GET', '/v1/agents')).data.at(-1);
      same(
        [stored.command, stored.commands, stored.max_turns],
        ['AGENT.NOTE_TAKER', ['SEARCH', 'CONTEXT_UPDATE'], 7],
        'stored',
      );

      await doTo(mine, 'Try');
      await page.getByLabel(/^Task/).fill('Hello, note taker.');
      await tidy(page, 'an agent is tried');
      await shot(page, 'agents-try');
      await page.getByRole('button', { name: 'Start' }).click();
      await page.getByRole('link', { name: 'Open the run' }).click();
      await page.getByRole('article').getByText('It is noted.').waitFor();

      await page.goBack();
      await doTo(mine, 'Edit');
      await page.getByText('Approach, limits and model').click();
      await page.getByLabel('Most answers').fill('99');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('.field .wrong').first().waitFor();
      await page.getByLabel('Most answers').fill('3');
      await tidy(page, 'an agent is changed');
      await page.getByRole('button', { name: 'Save' }).click();
      await mine.getByText('version 2').waitFor();
      same((await call('GET', `/v1/agents/${stored.id}`)).max_turns, 3, 'the change is stored');
      await doTo(mine, 'Turn off');
      await until('it is off', async () => !(await call('GET', `/v1/agents/${stored.id}`)).enabled);
      await doTo(mine, 'Delete');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await becomes(() => mine.count(), 0, 'it is gone');
    },
  },
  {
    name: 'an agent’s approval in the chat has its name and shows the draft as a diff, and its history opens',
    async run({ open, call, shot }) {
      await clerk(call);
      await call('PUT', '/v1/documents/hours', { title: 'Hours', body: 'Open until five.\nClosed on Monday.' }).catch(
        () => call('POST', '/v1/documents', { key: 'hours', title: 'Hours', body: 'Open until five.' }),
      );
      const chat = await call('POST', '/v1/sessions', { type: 'CHAT', name: 'Office' });
      const page = await open({ at: `/chat/${chat.id}` });
      await page.getByLabel('Message').fill('Please note the hours.');
      await page.keyboard.press('Enter');
      const asked = page.locator('[data-approval][data-status="open"]');
      await asked.locator('[data-agent]').getByText('by the agent').waitFor();
      await asked.getByRole('link', { name: 'ContextManager' }).waitFor();
      await asked.locator('[data-diff]').getByText('Open until six.').waitFor();
      same(await page.getByText('not run').count(), 0, 'its call is under way');
      await tidy(page, 'an agent asks');
      await shot(page, 'agents-asks');
      const inbox = await open({ ...french, ...dark, at: '/approvals' });
      await inbox.locator('[data-agent]').getByText('par l’agent').first().waitFor();
      await tidy(inbox, 'an agent asks, in the list');
      await shot(inbox, 'agents-asks-inbox');
      await asked.getByRole('button', { name: 'Approve' }).click();
      await until('it is to be published', async () => {
        const { data } = await call('GET', '/v1/approvals?status=open');
        return data[0]?.actions[0]?.command === 'CONTEXT_PUBLISH';
      });
      await asked.getByRole('heading', { name: /[Pp]ublish/ }).waitFor();
      await shot(page, 'agents-publish');
      await page.locator('[data-danger][data-seen]').waitFor();
      await asked.getByRole('button', { name: 'Approve' }).click();
      await page.getByRole('article').getByText('It is noted.').waitFor();
      const card = page.locator('[data-command="AGENT.CONTEXT_MANAGER"]');
      await card.locator('[data-agent-outcome="MISSION_COMPLETED"]').waitFor();
      await card.getByText('The agent ContextManager has done its task').waitFor();
      await tidy(page, 'an agent has reported');
      await shot(page, 'agents-card');
      await card.getByRole('link', { name: 'What the agent did' }).click();
      await page.getByText('Write down: open until six.').first().waitFor();
      check((await page.locator('[data-command="CONTEXT_UPDATE"]').count()) === 1, 'its history is there');
      await tidy(page, 'the history of an agent');
      await shot(page, 'agents-history');
    },
  },
];
