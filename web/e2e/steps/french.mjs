// What a French workspace shows people has no English: cards, failures, questions, why, and errors of forms.
import { english, french, same, tidy, until } from '../harness.mjs';

const missing = 'zon_01890000-0000-7000-8000-000000000000';

// An AI that does some things twice and others wrongly.
const ai = (call) =>
  call('POST', '/v1/providers', {
    name: 'Script',
    kind: 'script',
    is_default: true,
    config: {
      steps: [
        {
          when: { contains: 'Range', roundtrip: 1 },
          answer: {
            text: 'Je regarde.',
            calls: [{ name: 'TOOL_DATA', arguments: { tool_id: 'tol_01890000-0000-7000-8000-000000000000' } }],
          },
        },
        {
          when: { contains: 'Range', roundtrip: 2 },
          answer: {
            calls: [
              { name: 'CREATE_ZONE', arguments: { name: 'Jardin' } },
              { name: 'CREATE_ZONE', arguments: { name: 'Jardin' } },
              { name: 'UPDATE_ZONE', arguments: { zone_id: missing, name: 'Cave' } },
              { name: 'CREATE_ZONE', arguments: { name: 'Grenier' } },
            ],
          },
        },
        { when: { contains: 'Range', roundtrip: 3 }, answer: { calls: [{ name: 'CREATE_ZONE', arguments: {} }] } },
        { when: { contains: 'Supprime' }, answer: { calls: [{ name: 'CREATE_ZONE', arguments: { name: 'Salon' } }] } },
        { answer: { text: 'Voilà.' } },
      ],
    },
  });

const rest = (call, id) =>
  until('the chat rests', async () => (await call('GET', `/v1/sessions/${id}`)).status === 'idle');

// french? All that is said, what is folded for those who want the AI's own words left out.
const said = async (place, what) => same(english(await place.innerText()), [], `English in ${what}`);

export const steps = [
  {
    name: 'a French workspace: failures, repetitions, cards, why, and the errors of forms are French',
    async run({ open, call, shot }) {
      await ai(call);
      await call('PATCH', '/v1/settings', { language: 'fr', time_zone: 'Europe/Paris' });
      const id = (await call('POST', '/v1/sessions', { type: 'CHAT', name: 'Rangement', message: 'Range tout' })).id;
      await rest(call, id);
      const page = await open({ at: `/chat/${id}`, ...french });
      await page.getByText('Voilà.').first().waitFor();
      await page.locator('[data-command=CREATE_ZONE]').first().waitFor();
      for (const fold of await page.locator('[data-reads] > summary, [data-fold-reads]').all()) await fold.click();
      await said(page.locator('main'), 'the chat');
      same(await page.getByText('"repeat"').count(), 0, 'what the AI is told of repeating is in a fold');
      await page
        .getByText(/demandée deux fois/)
        .first()
        .waitFor();
      await page.getByText('Introuvable.').first().waitFor();
      await tidy(page, 'failures in French');
      await shot(page, 'french-chat');

      await call('PATCH', '/v1/settings', { require_validation: true });
      const asks = (await call('POST', '/v1/sessions', { type: 'CHAT', name: 'Maison', message: 'Supprime tout' })).id;
      await until('it asks', async () => (await call('GET', '/v1/approvals?status=open')).data.length === 1);
      const why = await call('GET', `/v1/sessions/${asks}/explain`, undefined, { 'Accept-Language': 'fr' });
      same(english(why.text), [], 'English in why it stands');
      for (const at of [`/chat/${asks}`, '/approvals', '/']) {
        const other = await open({ at, ...french });
        await other.getByText('Salon').first().waitFor();
        await said(other.locator('main'), at);
        await other.context().close();
      }
      await call('PATCH', '/v1/settings', { require_validation: false });

      // Problems and mistakes, each with the server's own words in no place.
      const form = await open({ at: '/automations/new', ...french });
      await form.getByLabel('Elle s’exécute').selectOption('cron');
      await form.getByLabel('Expression cron').fill('0 8 31 2 *');
      await form.getByText('aucune exécution n’aurait lieu').first().waitFor();
      await form.getByLabel('Expression cron').fill('jamais');
      await form.getByText(/Expression cron invalide/).waitFor();
      await said(form.locator('main'), 'the form of an automation');
      const gone = await open({ at: `/timeline/ses_01890000-0000-7000-8000-000000000000`, ...french });
      await gone.locator('[data-code=not_found]').first().waitFor();
      await said(gone.locator('main'), 'what is gone');
      await tidy(gone, 'a problem in French');
      await shot(gone, 'french-problem');
    },
  },
];
