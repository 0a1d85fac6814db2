import { becomes, dark, french, narrow, same, tidy } from '../harness.mjs';

export const steps = [
  {
    name: 'the palette goes anywhere by name, by keyboard alone',
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
      const field = page.getByRole('combobox', { name: /Where to/ });
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
      await page.getByRole('option', { name: 'Settings', exact: true }).waitFor();
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
      await page.keyboard.type('nothing like this');
      await page.getByText('Nothing has this name.').last().waitFor();
    },
  },
  {
    name: 'the question mark lists the keys, not while one writes, and the navigation has a button for it',
    async run({ open, shot }) {
      const page = await open({ ...dark, ...narrow, ...french, at: '/usage' });
      await page.locator('#page-title').waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Clavier' }).waitFor();
      await tidy(page, 'the list of keys');
      await shot(page, 'keys-dark-narrow-fr');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('button', { name: 'Aller à… (Ctrl K)' }).click();
      await page.getByRole('combobox', { name: /Où aller/ }).waitFor();
      await page.keyboard.type('?');
      same(await page.getByRole('combobox', { name: /Où aller/ }).inputValue(), '?', 'it is typed where one writes');
      same(await page.getByRole('dialog').count(), 1, 'and opens nothing');
      await tidy(page, 'the palette, dark, narrow, French');
    },
  },
];
