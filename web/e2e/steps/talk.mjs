import { becomes, check, dark, english, french, narrow, same, tidy, until } from '../harness.mjs';

// demo sets up fast answers, in an open chat.
async function demo(call) {
  if (!(await call('GET', '/v1/providers')).data.some((p) => p.name === 'Quick'))
    await call('POST', '/v1/providers', {
      name: 'Quick',
      kind: 'demo',
      is_default: true,
      config: { word_delay_ms: 0 },
    });
}

async function says(call, text) {
  const chat = await call('POST', '/v1/sessions', { type: 'CHAT', message: text });
  await until('it asks', async () =>
    (await call('GET', '/v1/approvals?status=open')).data.some((a) => a.session_id === chat.id),
  );
  return chat.id;
}

const automations = async (call) => (await call('GET', '/v1/automations')).data;
const rest = (call, id) =>
  until('the chat rests', async () => (await call('GET', `/v1/sessions/${id}`)).status === 'idle');

export const steps = [
  {
    name: 'an automation is created in a chat: a card with its times, edited, approved, undone',
    async run({ open, call, shot }) {
      await demo(call);
      await call('PATCH', '/v1/settings', { time_zone: 'Europe/Paris', language: 'en' });
      const id = await says(call, 'every Monday at 8, sum up my week');
      const page = await open({ at: `/chat/${id}` });
      const card = page.locator('[data-approval][data-status=open]');
      await card.getByText(/Create the automation “Sum up my week”: every Monday at 08:00/).waitFor();
      same(
        await card.locator('[data-field=request] [data-side=added], [data-field=request] dd').first().isVisible(),
        true,
        'its request',
      );
      check(/Monday \d+ \w+ \d{4}, 08:00/.test(await card.locator('[data-field=next]').innerText()), 'no next times');
      same(await card.getByText('CREATE_AUTOMATION').isVisible(), false, 'the command has its name in the fold alone');
      same((await automations(call)).length, 0, 'nothing exists before the approval');
      await tidy(page, 'the card of an automation');
      await shot(page, 'talk-card');
      for (const [name, look] of Object.entries({ dark, narrow })) {
        const other = await open({ at: `/chat/${id}`, ...look });
        await other.locator('[data-approval][data-status=open]').waitFor();
        await tidy(other, `the card of an automation, ${name}`);
        await shot(other, `talk-card-${name}`);
        await other.context().close();
      }
      await card.locator('[data-do=edit]').click();
      const edit = card.locator('[data-edit]');
      same(await edit.getByLabel('Name').inputValue(), 'Sum up my week', 'its name');
      same(await edit.getByLabel('It runs').inputValue(), 'weekly', 'the schedule is chosen in words');
      same(await edit.getByRole('checkbox', { checked: true }).count(), 1, 'on one day');
      same(await edit.getByText('0 8 * * 1').count(), 0, 'no rule is shown');
      await edit.getByLabel('Mon').uncheck();
      await edit.getByText('Choose at least one day.').waitFor();
      await card.getByRole('button', { name: 'Approve as edited' }).click();
      same((await call('GET', '/v1/approvals?status=open')).data.length, 1, 'half a schedule is not sent');
      await edit.getByLabel('Tue').check();
      await edit.getByLabel('At', { exact: true }).fill('07:30');
      await edit.locator('[data-preview]').getByText('every Tuesday at 07:30').waitFor();
      await becomes(() => edit.locator('[data-preview] li').count(), 5, 'the next times');
      await tidy(page, 'an automation that is edited');
      await shot(page, 'talk-edit');
      await edit.getByLabel('It runs').selectOption('cron'); // for experts
      await edit.getByLabel('Cron expression').fill('never');
      await edit.getByLabel('Cron expression').and(card.locator('[aria-invalid=true]')).waitFor();
      await edit.getByLabel('It runs').selectOption('weekly');
      await edit.locator('[data-preview]').getByText('every Tuesday at 07:30').waitFor();
      await card.getByRole('button', { name: 'Done', exact: true }).click();
      await card.locator('[data-foresight]').getByText('every Tuesday at 07:30').waitFor();
      const changed = card.locator('[data-edited] [data-field=schedule]');
      await changed.getByText('every Monday at 08:00').waitFor();
      same(await card.locator('[data-edited]').getByText('30 7 * * 2').count(), 0, 'what was changed is in words');
      await tidy(page, 'an automation that was edited');
      await shot(page, 'talk-edited');
      await card.getByRole('button', { name: 'Approve as edited' }).click();
      await until('it is there', async () => (await automations(call)).length === 1);
      const [made] = await automations(call);
      same(made.schedule.expression, '30 7 * * 2', 'the schedule is the edited one');
      await rest(call, id);
      const done = page.locator('[data-command=CREATE_AUTOMATION]');
      await done.getByText(/Created the automation “Sum up my week”: every Tuesday at 07:30/).waitFor();
      same(await done.locator('[data-made]').getAttribute('href'), `#/automations/${made.id}`, 'the way to it');
      await shot(page, 'talk-made');
      await done.locator('[data-act=undo]').click();
      await until('it is taken back', async () => (await automations(call)).length === 0);
    },
  },
  {
    name: 'a rejection creates no automation, and a French chat has a French card',
    async run({ open, call, shot }) {
      await demo(call);
      await call('PATCH', '/v1/settings', { time_zone: 'Europe/Paris', language: 'fr' });
      const id = await says(call, 'chaque lundi à 8 h, résume ma semaine');
      const page = await open({ at: `/chat/${id}`, ...french });
      const card = page.locator('[data-approval][data-status=open]');
      await card.getByText(/Créer l’automatisation « Résume ma semaine » : chaque lundi à 08:00/).waitFor();
      await card.getByText('Prochaines fois').waitFor();
      await shot(page, 'talk-card-fr');
      await card.locator('[data-do=edit]').click();
      const edit = card.locator('[data-edit]');
      await edit.getByLabel('Elle s’exécute').selectOption('every');
      await edit.getByLabel('Tous les').fill('3');
      await edit.locator('[data-preview]').getByText('toutes les 3 heures').waitFor();
      same(english(await edit.innerText()), [], 'English in a French form');
      await tidy(page, 'an automation that is edited in French');
      await shot(page, 'talk-edit-fr');
      await card.getByRole('button', { name: 'Annuler mes modifications' }).first().click();
      await card.getByRole('button', { name: 'Refuser…' }).click();
      await card.getByRole('button', { name: 'Refuser', exact: true }).click();
      await page.locator('[data-approval][data-status=refused]').waitFor();
      await rest(call, id);
      same((await automations(call)).length, 0, 'nothing was made');
    },
  },
  {
    name: 'before an answer is requested again: what will differ, and what remains in effect; undone in the timeline',
    async run({ open, call, shot }) {
      await demo(call);
      await call('PATCH', '/v1/settings', { language: 'en' });
      const id = (await call('POST', '/v1/sessions', { type: 'CHAT', message: 'create a zone Orchard' })).id;
      await until('it is made', async () => (await call('GET', '/v1/zones')).data.some((z) => z.name === 'Orchard'));
      await rest(call, id);
      const page = await open({ at: `/chat/${id}` });
      await page.locator('[data-act=again]').last().click();
      await page.locator('[data-again-with=form]').click();
      const differs = page.locator('[data-differs]');
      await differs.getByText('The question is the same.').waitFor();
      await differs.locator('[data-fact=changed]').getByText('Orchard').waitFor();
      await page.locator('[data-again] textarea').fill('create a zone Meadow');
      await differs.getByText('The question is in your new words.').waitFor();
      await tidy(page, 'what will be different');
      await shot(page, 'talk-differs');
      await page.keyboard.press('Escape');
      const line = await open({ at: `/timeline/${id}` });
      const row = line.getByRole('option', { name: /Create zone/ });
      await row.first().click();
      await line.locator('[data-details] [data-act=undo]').click();
      await becomes(
        async () => (await call('GET', '/v1/zones')).data.some((z) => z.name === 'Orchard'),
        false,
        'the zone is taken back',
      );
      await tidy(line, 'a change that was taken back in the timeline');
      await shot(line, 'talk-timeline-undone');
    },
  },
];
