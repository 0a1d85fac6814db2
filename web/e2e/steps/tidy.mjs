import { dark, french, light, narrow, noSideScroll, same, tidy } from '../harness.mjs';
import { furnish } from '../furnish.mjs';
import { go, screens } from '../screens.mjs';

// visit checks every address in both themes, wide and narrow.
async function visit({ open, shot }, addresses, name) {
  const page = await open();
  for (const at of addresses) {
    const called = `${name}${at.replace(/_[0-9a-f]+/g, '').replaceAll('/', '-')}`; // the name of a picture, without ids
    await go(page, at);
    for (const look of [light, dark]) {
      await page.emulateMedia(look);
      await tidy(page, `${at}, ${name}, ${look.colorScheme}`, { colours: look === dark });
      await shot(page, `${called}-${look.colorScheme}`);
    }
    await page.setViewportSize({ width: 768, height: 1024 });
    await noSideScroll(page, `${at}, ${name}, 768 px`);
    await shot(page, `${called}-768`);
    await page.setViewportSize(narrow.viewport);
    await noSideScroll(page, `${at}, ${name}, 320 px`);
    await shot(page, `${called}-320`);
    await page.setViewportSize({ width: 1280, height: 800 });
  }
}

// narrowFrench checks the longest texts on the smallest page, and that none is missing.
async function narrowFrench({ open, shot }, addresses) {
  const page = await open({ ...french, ...narrow });
  for (const at of addresses) {
    await go(page, at);
    await noSideScroll(page, `${at} in French, 320 px`);
    same(
      (await page.locator('body').innerText()).match(/^[a-z]+(\.[a-zA-Z_]+)+$/gm),
      null,
      `${at}: keys in the place of texts`,
    );
    await shot(page, `fr${at.replace(/_[0-9a-f]+/g, '').replaceAll('/', '-')}-320`);
  }
}

export const steps = [
  {
    name: 'every screen of an empty server, in both themes, wide, on a tablet and narrow',
    run: (world) =>
      visit(
        world,
        screens.map(({ at }) => at),
        'empty',
      ),
  },
  {
    name: 'every screen of a furnished server, in both themes, wide, on a tablet and narrow',
    async run(world) {
      const made = await furnish(world.call);
      await visit(world, made.addresses, 'full');
      await narrowFrench(world, made.addresses);
    },
  },
  {
    name: 'names without a space and endless descriptions break no screen',
    async run(world) {
      const long = 'X'.repeat(10_000);
      const wide = 'W'.repeat(200);
      const { call } = world;
      const zone = await call('POST', '/v1/zones', { name: wide, description: long });
      await call('PATCH', '/v1/settings', { require_validation: true });
      await call('POST', '/v1/sessions', { type: 'CHAT', name: wide, message: { text: 'create a zone Long' } });
      await call('POST', '/v1/automations', {
        name: wide,
        seed: { text: long },
        schedule: { type: 'cron', expression: '0 7 * * *', time_zone: 'Europe/Paris' },
      });
      const page = await world.open({ ...narrow });
      for (const at of [...screens.map((s) => s.at), `/data/zones/${zone.id}`]) {
        await go(page, at);
        await noSideScroll(page, `${at} with long names, 320 px`);
      }
    },
  },
];
