// Every screen of a full workspace: no layout shifts while it loads, wide and narrow, and no axe violations with
// the longest texts, dark and narrow.
import { dark, french, narrow, none, same, tidy, until } from '../harness.mjs';
import { furnishAll } from '../furnish.mjs';
import { go } from '../screens.mjs';
import { inTurn, stands } from '../shifts.mjs';

let furnished;
const addresses = async (call) => {
  if (furnished) return furnished.addresses;
  furnished = await furnishAll(call);
  // Runs that end meanwhile are added to the lists: that is not a shift of a loading screen.
  const ended = async () => (await call('GET', '/v1/runs?limit=100')).data.map((run) => run.status).join();
  for (let before = ''; before !== (before = await ended());) await new Promise((done) => setTimeout(done, 3000));
  return furnished.addresses;
};
const named = (at) => at.replace(/_[0-9a-f]+/g, '').replaceAll('/', '-');

const lasts = 300_000; // forty screens, each with a page of its own

export const steps = [
  ...[
    [1440, 900],
    [768, 1024],
    [320, 640],
  ].map(([width, height]) => ({
    name: `no screen moves while it loads, ${width} px`,
    run: async (world) => stands(world, await addresses(world.call), { viewport: { width, height } }),
    lasts,
  })),
  {
    name: 'a response that never arrives keeps nothing else hidden',
    async run({ open, call, line }) {
      await addresses(call);
      const { morning, runs, asks } = furnished;
      for (const [at, hung, seen] of [
        ['/', /\/v1\/usage/, '[data-card=needs]'],
        ['/approvals', /\/v1\/sessions\?/, '[data-row]'],
        ['/automations', /\/v1\/providers/, '[data-automation]'],
        [`/automations/${morning.id}`, /\/v1\/occurrences/, 'form'],
        ['/usage', /group_by=automation/, '[data-total=cost]'],
        ['/system', /\/v1\/admin\/status/, 'a[href$="/docs"]'],
        [`/timeline/${runs[0].session_id}`, /\/explain/, '[data-kind]'],
        [`/chat/${asks}`, /\/v1\/sessions\?/, '[data-sender]'],
      ]) {
        const page = await open({ base: 'about:blank' });
        page.bad.length = 0;
        await page.route(hung, () => {});
        await page.goto(`${line.url}/#${at}`);
        await page.locator(`main ${seen}`).first().waitFor();
        await until(`${at} is shown without ${hung}`, async () => !(await page.locator('.page[data-loading]').count()));
        page.bad = page.bad.filter((bad) => !bad.includes(line.url));
        await page.context().close();
      }
    },
  },
  {
    name: 'every screen in French, dark and narrow: no axe violations, no key in place of a text',
    async run({ open, call, shot }) {
      const left = [...(await addresses(call))];
      const wrong = [];
      await inTurn([0, 1], async () => {
        const page = await open({ ...dark, ...french, ...narrow });
        for (let at = left.shift(); at; at = left.shift()) {
          await go(page, at);
          await tidy(page, `${at}, French, dark, 320 px`).catch((error) => wrong.push(error.message));
          const codes = await page.locator('code').allInnerTexts(); // text for programs
          same(
            ((await page.locator('body').innerText()).match(/^[a-z]+(\.[a-zA-Z_]+)+$/gm) ?? []).filter(
              (word) => !codes.includes(word),
            ),
            [],
            `${at}: keys in the place of texts`,
          );
          await shot(page, `still${named(at)}-320`);
        }
      });
      none(wrong, 'what is wrong');
    },
    lasts,
  },
];
