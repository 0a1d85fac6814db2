// A French workspace shows no English: cards, failures, questions, explanations, and errors of forms.
import { check, english, french, none, same, tidy, until } from '../harness.mjs';
import { furnishAll, inFrench } from '../furnish.mjs';
import { go } from '../screens.mjs';

const missing = 'zon_01890000-0000-7000-8000-000000000000';

// An AI that repeats some calls and makes others with errors.
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

// french? All texts, except the AI's own wording in collapsed parts.
const said = async (place, what) => same(english(await place.innerText()), [], `English in ${what}`);

// All texts of a page: visible, for screen readers, and tooltips; except code, texts of people, and parts marked as
// English.
const allSaid = (page) =>
  page.evaluate(() => {
    const shown = (e) => e.checkVisibility() && !e.closest('code, pre, kbd, textarea, [lang=en]');
    const said = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode())
      if (shown(node.parentElement)) said.push(node.data.replaceAll('\n', ' '));
    for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'aria-description'])
      for (const e of document.querySelectorAll(`[${name}]`)) if (shown(e)) said.push(e.getAttribute(name));
    return said.join('\n');
  });

const away = 'http://127.0.0.1:9'; // where no server listens

// Failures everywhere: connectors, models, webhooks, runs.
async function wrongs(call) {
  const connector = await call('POST', '/v1/connectors', {
    name: 'Caisse',
    prefix: 'CAISSE',
    kind: 'mcp',
    config: { url: `${away}/mcp` },
  });
  await call('POST', `/v1/connectors/${connector.id}/test`);
  await call('POST', '/v1/providers', {
    name: 'Injoignable',
    kind: 'openai_compatible',
    config: { base_url: `${away}/v1`, model: 'petit' },
  });
  const webhook = await call('POST', '/v1/webhooks', { url: `${away}/recu`, types: ['session.ended'] });
  await call('POST', `/v1/webhooks/${webhook.id}/test`).catch(() => {});
  return connector;
}

export const steps = [
  {
    name: 'every screen of a French workspace, full and with failures, has no English word',
    lasts: 240_000,
    async run({ freshServer, open, shot }) {
      const { base, call } = await freshServer();
      const { addresses } = await furnishAll(call, inFrench);
      const connector = await wrongs(call);
      const page = await open({ base, ...french });
      const wrong = [];
      const look = async (what) =>
        wrong.push(...english(await allSaid(page)).map((line) => `${what}: ${line.slice(0, 200)}`));
      for (const at of [...addresses, `/settings/connectors/${connector.id}`]) {
        await go(page, at);
        for (const fold of await page.locator('main details:not([open]) > summary').all())
          await fold.click({ timeout: 1000 }).catch(() => {});
        await look(at);
        await shot(page, `french${at.replace(/_[0-9a-f]+/g, '').replaceAll('/', '-')}`);
      }
      await go(page, `/settings/connectors/${connector.id}`);
      await page.getByRole('button', { name: 'Tester' }).click();
      await page.locator('[data-test]').waitFor();
      await look('a connector that was tested');
      await go(page, '/settings/providers');
      const provider = page.locator('[data-provider]', { hasText: 'Injoignable' });
      await provider.getByRole('button', { name: /^Actions/ }).click();
      await look('what can be done with a provider');
      await provider.getByRole('button', { name: /Tester/ }).click();
      await page.locator('[data-test]').waitFor();
      await look('a provider that was tested');
      await go(page, '/system');
      await page.getByRole('button', { name: 'Lancer' }).click();
      await page.locator('[data-broken]').waitFor();
      await look('the checks');
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
      await look('the palette');
      none([...new Set(wrong)], 'English on French screens');
    },
  },
  {
    name: 'a French workspace: failures, repetitions, cards, explanations, and the errors of forms are French',
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
      same(await page.getByText('"repeat"').count(), 0, 'the AI’s text about repeating is collapsed');
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

      // Problems and field errors, none with the server's English text.
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
  {
    name: 'each reader sees cards, approvals and failures in their own language, live and after a reload, whatever the workspace’s',
    lasts: 180_000,
    async run({ freshServer, open, shot }) {
      for (const language of ['en', 'fr']) {
        const { base, call } = await freshServer();
        await call('PATCH', '/v1/settings', { language, time_zone: 'Europe/Paris', require_validation: true });
        await ai(call);
        const { id } = await call('POST', '/v1/sessions', { type: 'CHAT', name: 'Maison' });
        const readers = {
          en: await open({ base, at: `/chat/${id}` }),
          fr: await open({ base, at: `/chat/${id}`, ...french }),
        };
        const want = {
          en: { ask: 'Add the zone “Salon”', done: 'Added the zone “Salon”', approve: /^Approve/ },
          fr: { ask: /Ajouter la zone «\s?Salon/, done: /Zone «\s?Salon\s?» ajoutée/, approve: /^Approuver/ },
        };
        for (const page of Object.values(readers)) await page.locator('#message').waitFor();
        await call('POST', `/v1/sessions/${id}/messages`, { text: 'Supprime tout' });
        const all = async (look) => {
          for (const [reader, page] of Object.entries(readers)) await look(page, want[reader], reader);
        };
        await all((page, { ask }) => page.locator('[data-approval]').getByText(ask).first().waitFor());
        await said(readers.fr.locator('[data-approval]').first(), 'a live approval');
        for (const [reader, page] of Object.entries(readers)) await shot(page, `asks-${language}-to-${reader}`);
        await readers.en.getByRole('button', { name: want.en.approve }).first().click();
        await all((page, { done }) => page.locator('[data-command]').getByText(done).first().waitFor());
        await rest(call, id);
        await call('POST', `/v1/sessions/${id}/messages`, { text: 'Range tout' });
        await all((page) => page.getByText('Voilà.').last().waitFor());
        await rest(call, id);
        for (const again of [false, true]) {
          if (again) for (const page of Object.values(readers)) await page.reload();
          await all(async (page, { done }) => {
            await page.getByText('Voilà.').last().waitFor();
            await page.locator('[data-command]').getByText(done).first().waitFor();
            await page.locator('[data-command][data-status=FAILED]').first().waitFor();
          });
          for (const fold of await readers.fr.locator('[data-reads] > summary').all()) await fold.click();
          await said(readers.fr.locator('main'), `the chat${again ? ' after a reload' : ''}, workspace ${language}`);
          check(!/ajoutée|refusé/.test(await readers.en.locator('main').innerText()), 'French for the English reader');
        }
        await shot(readers.fr, `record-${language}-to-fr`);
        await shot(readers.en, `record-${language}-to-en`);
        // A change of the page's language also applies to what is shown already.
        await go(readers.fr, '/settings/page');
        await readers.fr.getByLabel(/^Langue/).selectOption('en');
        await go(readers.fr, `/chat/${id}`);
        await readers.fr.locator('[data-command]').getByText(want.en.done).first().waitFor();
        await readers.fr.keyboard.press('Control+k');
        await readers.fr.getByRole('dialog').getByRole('combobox').fill('français');
        await readers.fr.keyboard.press('Enter');
        await readers.fr.locator('[data-command]').getByText(want.fr.done).first().waitFor();
      }
    },
  },
];
