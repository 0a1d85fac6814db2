// Every screen of a workspace with something in every corner: it stands still while it comes, wide and narrow,
// and axe finds nothing where the words are longest, dark and narrow.
import { dark, french, narrow, none, same, tidy } from '../harness.mjs';
import { furnishAll } from '../furnish.mjs';
import { go } from '../screens.mjs';
import { inTurn, stands } from '../shifts.mjs';

let furnished;
const addresses = async (call) => {
  if (furnished) return furnished.addresses;
  furnished = await furnishAll(call);
  // Runs that end meanwhile come into the lists: that is no shift of a screen that loads.
  const ended = async () => (await call('GET', '/v1/runs?limit=100')).data.map((run) => run.status).join();
  for (let before = ''; before !== (before = await ended());) await new Promise((done) => setTimeout(done, 3000));
  return furnished.addresses;
};
const named = (at) => at.replace(/_[0-9a-f]+/g, '').replaceAll('/', '-');

const lasts = 300_000; // forty screens, each with a page of its own

export const steps = [
  {
    name: 'no screen moves while it loads, 1440 px',
    run: async (world) => stands(world, await addresses(world.call), { viewport: { width: 1440, height: 900 } }),
    lasts,
  },
  {
    // A figure: in which order answers come decides how often a line of a phone's breadth wraps anew.
    name: 'how far screens move while they load, 320 px',
    run: async (world) => stands(world, await addresses(world.call), { ...narrow, told: true }),
    lasts,
  },
  {
    name: 'every screen in French, dark and narrow: nothing that axe finds, no key in the place of a text',
    async run({ open, call, shot }) {
      const left = [...(await addresses(call))];
      const wrong = [];
      await inTurn([0, 1], async () => {
        const page = await open({ ...dark, ...french, ...narrow });
        for (let at = left.shift(); at; at = left.shift()) {
          await go(page, at);
          await tidy(page, `${at}, French, dark, 320 px`).catch((error) => wrong.push(error.message));
          const codes = await page.locator('code').allInnerTexts(); // what programs are told
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
