// The rows of the settings: compact, with facts in columns, whatever the names.
import { check, dark, french, narrow, none, noSideScroll, same, signIn, tidy } from '../harness.mjs';
import { go } from '../screens.mjs';

const names = ['Kitchen', 'W'.repeat(100), 'דוח שבועי של המטבח', '🧑‍🍳🥕🧅 soup of the day, every day of the week'];
const address = `https://hooks.example/${'x'.repeat(1900)}`;

// The lists, and how to find a row of each.
const places = [
  ['/settings/providers', '[data-provider]'],
  ['/settings/connectors', '[data-connector]'],
  ['/settings/agents', '[data-agent]'],
  ['/settings/keys', '[data-key]'],
  ['/settings/webhooks', '[data-webhook]'],
];

async function fill(call) {
  for (const [i, name] of names.entries()) {
    await call('POST', '/v1/providers', { name, kind: 'demo', config: {} });
    await call('POST', '/v1/connectors', {
      name,
      prefix: `ROW${i}`,
      kind: 'mcp',
      config: { url: `https://row${i}.example/mcp` },
    });
    await call('POST', '/v1/agents', {
      name: `Agent${i}`,
      description: i % 2 ? name.repeat(90).slice(0, 1000) : name,
      system_prompt: name,
      commands: [],
    });
    await call('POST', '/v1/keys', { name, role: 'viewer', expires_at: i % 2 ? '2099-01-01T00:00:00Z' : undefined });
    await call('POST', '/v1/webhooks', {
      url: i % 2 ? address : `https://hooks.example/${i}`,
      types: ['session.ended'],
    });
  }
}

// measure returns the height of each row, and the position of each fact.
const measure = (page, rows) =>
  page.locator(rows).evaluateAll((all) =>
    all.map((row) => {
      const line = row.firstElementChild;
      const [, what, facts] = line.children;
      return {
        high: Math.round(row.getBoundingClientRect().height),
        wide: Math.round(what.getBoundingClientRect().width),
        from: [...facts.children].map((fact) => Math.round(fact.getBoundingClientRect().left)),
        out: line.scrollWidth > line.clientWidth,
      };
    }),
  );

export const steps = [
  {
    name: 'rows are compact with facts in columns; in a narrow window each fact has its label',
    async run({ open, locked, shot }) {
      const { base, call, key } = await locked();
      await fill(call);
      const page = await open({ base, viewport: { width: 1440, height: 900 } });
      await page.getByLabel('API key').waitFor();
      await signIn(page, key);
      const wrong = [];
      for (const [at, rows] of places) {
        await go(page, at);
        await page.locator(rows).first().waitFor();
        const all = await measure(page, rows);
        check(all.length >= names.length, `${at}: ${all.length} rows`);
        for (const row of all) {
          if (row.high > 56) wrong.push(`${at}: a row of ${row.high} px`);
          if (row.wide < 144) wrong.push(`${at}: ${row.wide} px for a name`);
          if (row.out) wrong.push(`${at}: a row that is wider than its place`);
          if (String(row.from) !== String(all[0].from))
            wrong.push(`${at}: facts at ${row.from}, and at ${all[0].from}`);
        }
        await tidy(page, `${at}, 1440 px`);
        await shot(page, `rows${at.replaceAll('/', '-')}-1440`);
        for (const width of [768, 320]) {
          await page.setViewportSize({ width, height: 900 });
          await noSideScroll(page, `${at}, ${width} px`);
          await shot(page, `rows${at.replaceAll('/', '-')}-${width}`);
        }
        await tidy(page, `${at}, 320 px`);
        await page.setViewportSize({ width: 1440, height: 900 });
      }
      none(wrong, 'rows that are not as low or as even as they should be');
      await go(page, '/settings/keys');
      same(await page.getByText('Last used never').first().isVisible(), true, 'each fact is read out with its word');
      await page.setViewportSize(narrow.viewport);
      const label = page.locator('[data-key] span').filter({ hasText: /^Last used $/ });
      check((await label.first().boundingBox()).width > 20, 'the word of a fact is seen on a phone');
    },
  },
  {
    name: 'on a tablet the sections of the settings are at the side, and a table of limits is complete',
    async run({ open, shot }) {
      const page = await open({ ...french, at: '/settings/limits', viewport: { width: 768, height: 1024 } });
      const table = page.locator('.scroll', { has: page.getByRole('table') });
      await table.waitFor();
      same(await table.evaluate((e) => e.scrollWidth - e.clientWidth), 0, 'what of the table is out of sight');
      const [sections, content] = await Promise.all([
        page.getByRole('navigation', { name: 'Sections des réglages' }).boundingBox(),
        page.locator('[data-section]').boundingBox(),
      ]);
      check(sections.x + sections.width <= content.x, 'the sections stand beside what they lead to');
      await tidy(page, 'limits on a tablet');
      await shot(page, 'rows-limits-768');
    },
  },
  {
    name: 'the menu of a row works by keyboard only, in the dark and in forced colours',
    async run({ open, call, shot }) {
      await call('POST', '/v1/providers', { name: 'Kitchen', kind: 'demo', config: {} });
      const page = await open({ ...dark, ...french, at: '/settings/providers' });
      const row = page.locator('[data-provider]');
      await row.getByRole('button', { name: 'Kitchen', exact: true }).focus();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      await tidy(page, 'the menu of a row');
      await page.emulateMedia({ forcedColors: 'active' });
      const menu = row.getByRole('group');
      check(
        await menu.evaluate((e) => getComputedStyle(e).borderTopColor !== getComputedStyle(e).backgroundColor),
        'the menu has a border where the system chooses the colours',
      );
      await shot(page, 'rows-menu');
      await page.keyboard.press('Enter');
      await row.locator('[data-test=ok]').waitFor();
      same(await menu.isVisible(), false, 'the menu closes behind what it did');
    },
  },
];
