import { becomes, check, dark, french, narrow, none, same, tidy, until } from '../harness.mjs';

export const steps = [
  {
    name: 'the field of the palette keeps its position, whatever is found',
    async run({ open, shot }) {
      for (const shape of [narrow, { ...dark, ...french }]) {
        const page = await open({ ...shape, at: '/usage' });
        await page.locator('#page-title').waitFor();
        await page.keyboard.press('Control+k');
        const field = page.getByRole('dialog').getByRole('combobox');
        await field.waitFor();
        await page.getByRole('option').first().waitFor();
        const top = async () => Math.round((await field.boundingBox()).y);
        const first = await top();
        await page.keyboard.type('qzxv');
        await page.getByRole('dialog').getByRole('option').first().waitFor({ state: 'detached' });
        await becomes(top, first, 'the top of the field, with nothing found');
        await shot(page, `palette-none-${shape === narrow ? 'narrow' : 'wide'}`);
      }
    },
  },
  {
    name: 'the palette opens anything by name, by keyboard only',
    async run({ open, call, shot }) {
      const zone = await call('POST', '/v1/zones', { name: 'Café' });
      const tool = await call('POST', '/v1/tools', {
        zone_id: zone.id,
        tool_type: 'notes',
        name: 'Grinder',
        config: {},
      });
      await call('POST', `/v1/tools/${tool.id}/entries`, { data: { title: 'Beans', text: 'a dark roast from Harar' } });
      const chat = await call('POST', '/v1/sessions', { name: 'Holidays in Brest' });
      const page = await open({ at: '/usage' });
      await page.locator('#page-title').waitFor();
      const field = page.getByRole('combobox', { name: /^Search screens/ });
      const choose = async (words, name) => {
        await page.keyboard.press('Control+k');
        await field.waitFor();
        await page.keyboard.type(words);
        await becomes(
          () =>
            page
              .locator('[role="option"][aria-selected="true"]')
              .innerText()
              .then((text) => text.split('\n')[0]),
          name,
          `${words} finds ${name}`,
        );
        await page.keyboard.press('Enter');
      };
      await page.keyboard.press('Control+k');
      await field.waitFor();
      await page.getByRole('option', { name: /^Settings/ }).waitFor();
      await tidy(page, 'the palette');
      await shot(page, 'palette-light');
      await page.keyboard.press('Escape');
      await becomes(() => page.getByRole('dialog').count(), 0, 'Esc closes it');
      await choose('cafe', 'Café');
      await page.waitForURL(new RegExp(`#/data/zones/${zone.id}`));
      await choose('brest', 'Holidays in Brest');
      await page.waitForURL(new RegExp(`#/chat/${chat.id}`));
      await choose('harar', 'Beans');
      await page.waitForURL(new RegExp(`#/data/tools/${tool.id}`));
      await choose('system', 'System');
      await page.waitForURL(/#\/system/);
      await page.keyboard.press('Control+k');
      await field.waitFor();
      const top = async () => Math.round((await field.boundingBox()).y);
      const before = await top();
      await page.keyboard.type('nothing like this');
      await page.getByText('No results. Try fewer words.').last().waitFor();
      same(await top(), before, 'the field stays where it is while one types');
    },
  },
  {
    name: 'messages are found in the palette, which opens their chat',
    async run({ open, call, demo }) {
      await demo({ word_delay_ms: 0 });
      const said = await call('POST', '/v1/sessions', { name: 'Errands', message: 'the number is seventysevenfold' });
      await until('it is said', async () => (await call('GET', `/v1/sessions/${said.id}`)).status === 'idle');
      await call('POST', '/v1/sessions', { name: 'Seventysevenfold plans' });
      const page = await open({ at: '/usage' });
      await page.locator('#page-title').waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /^Search screens/ }).waitFor();
      await page.keyboard.type('seventysevenfold');
      const within = (group) => page.getByRole('group', { name: group, exact: true }).getByRole('option');
      await becomes(
        () => within('In messages').locator('span:first-child').allInnerTexts(),
        ['Errands'],
        'where it was said',
      );
      await becomes(
        () => within('Chats').locator('span:first-child').allInnerTexts(),
        ['Seventysevenfold plans'],
        'what is called that',
      );
      await within('In messages').click();
      await page.waitForURL(new RegExp(`#/chat/${said.id}`));
    },
  },
  {
    name: 'every shortcut of a row is in the list of shortcuts',
    async run({ open, call }) {
      await call('POST', '/v1/automations', { name: 'Report', seed: { text: 'help' } });
      const [{ id }] = (await call('GET', '/v1/automations')).data;
      const { holder } = await call('GET', '/v1/slot'); // an idle chat would keep the run waiting
      if (holder) await call('POST', `/v1/sessions/${holder.id}/release`);
      await call('POST', `/v1/automations/${id}/execute`);
      for (const [at, title] of [
        ['/automations', 'On a row of Automations'],
        ['/runs', 'On a row of Runs'],
      ]) {
        const page = await open({ at });
        await page.locator('[data-row-main]').first().waitFor();
        if (at === '/runs') await page.locator('[data-key="r"]').first().waitFor({ state: 'attached' });
        const keys = await page
          .locator('[data-row-main]')
          .first()
          .evaluate((e) => [...e.closest('li').querySelectorAll('[data-key]')].map((b) => b.dataset.key));
        check(keys.length > 2, `a row of ${at} has keys: ${keys}`);
        await page.locator('#page-title').click();
        await page.keyboard.press('?');
        const listed = page.getByRole('dialog').locator('section', { hasText: title }).locator('kbd');
        await listed.first().waitFor();
        const letters = await listed.allInnerTexts();
        none(
          keys.filter((key) => !letters.includes(key.toUpperCase())),
          `keys of ${at} that are not in the list`,
        );
        await page.context().close();
      }
    },
  },
  {
    name: 'the question mark lists the shortcuts, except while typing, and the menu has a search button',
    async run({ open, shot }) {
      const page = await open({ ...dark, ...narrow, ...french, at: '/usage' });
      await page.locator('#page-title').waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Clavier' }).waitFor();
      await tidy(page, 'the list of keys');
      await shot(page, 'keys-dark-narrow-fr');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Plus' }).click();
      await page.getByRole('button', { name: 'Rechercher' }).click();
      await page.getByRole('combobox', { name: /^Rechercher un écran/ }).waitFor();
      await page.keyboard.type('?');
      same(
        await page.getByRole('combobox', { name: /^Rechercher un écran/ }).inputValue(),
        '?',
        'it is typed where one writes',
      );
      same(await page.getByRole('dialog').count(), 1, 'and opens nothing');
      await tidy(page, 'the palette, dark, narrow, French');
    },
  },
  {
    name: 'the palette runs commands, with undo, and shows shortcuts; G and a letter open a screen',
    async run({ open, call }) {
      const page = await open({ at: '/usage' });
      await page.locator('#page-title').waitFor();
      const choose = async (words, name) => {
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog').getByRole('combobox').waitFor();
        await page.keyboard.type(words);
        const option = page.getByRole('option', { name, selected: true });
        await option.waitFor();
        await page.keyboard.press('Enter');
      };
      const theme = () => page.evaluate(() => document.documentElement.dataset.theme ?? 'system');
      await choose('night', /Use the dark theme/);
      await becomes(theme, 'dark', 'the theme');
      await page.locator('[data-toast]').getByRole('button', { name: 'Undo' }).click();
      await becomes(theme, 'system', 'the theme that was before');
      await choose('français', /Passer en français/);
      await becomes(() => page.evaluate(() => document.documentElement.lang), 'fr', 'the language');
      await choose('english', /Switch to English/);
      await becomes(() => page.evaluate(() => document.documentElement.lang), 'en', 'the language again');
      await call('PATCH', '/v1/settings', { require_validation: true });
      await call('POST', '/v1/sessions', { type: 'CHAT', name: 'One', message: { text: 'create a zone One' } });
      await page.getByRole('navigation').getByText('1 approval waiting').waitFor({ state: 'attached' });
      await choose('approve all', /^Approve all/);
      await page.waitForURL(/#\/approvals\/all/);
      await becomes(() => page.locator('[data-row] input:checked').count(), 1, 'all are chosen');
      same((await call('GET', '/v1/approvals?status=open')).data.length, 1, 'nothing is approved by the palette');
      await page.keyboard.press('g');
      await page.keyboard.press('a'); // to Approvals, where the key A would approve
      await page.keyboard.press('g');
      await page.keyboard.press('d');
      await page.waitForURL(/#\/data/);
      same(
        (await call('GET', '/v1/approvals?status=open')).data.length,
        1,
        'the letter after G is no key of the screen',
      );
      await page.keyboard.press('Control+k');
      const row = page.getByRole('option', { name: /^Usage/ });
      same((await row.locator('kbd').allInnerTexts()).join(' '), 'G U', 'the keys of a screen stand beside it');
    },
  },
];
