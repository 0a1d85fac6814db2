// The first five minutes of a new user: the introduction, a first answer, a first approval, a first automation, in
// both languages, narrow and wide. `--shots` takes a picture of each for review.
import { check, french, narrow, none, noSideScroll, same, english, until } from '../harness.mjs';
import { settled } from '../screens.mjs';

const words = {
  en: {
    what: 'An assistant that keeps your data',
    chip: 'Track my sleep',
    note: 'note 7.5 for Sleep',
    change: 'change the last entry of Sleep to 8',
    daily: 'every Monday at 8, sum up my week',
    approve: /^Approve/,
    open: 'Open the automation',
    made: 'Sum up my week',
    next: /Next runs|next/i,
  },
  fr: {
    what: 'Un assistant',
    chip: 'Suivre mon sommeil',
    note: 'note 7,5 pour Sommeil',
    change: 'change la dernière entrée de Sommeil en 8',
    daily: 'chaque lundi à 8 h, résume ma semaine',
    approve: /^Approuver/,
    open: 'Ouvrir l’automatisation',
    made: 'Résume ma semaine',
    next: /Prochaines|prochaine/i,
  },
};

const looks = [
  ['en', 1440, { viewport: { width: 1440, height: 900 } }],
  ['en', 320, narrow],
  ['fr', 1440, { viewport: { width: 1440, height: 900 }, ...french }],
  ['fr', 320, { ...narrow, ...french }],
];

// inView: the next action is visible without scrolling.
async function inView(page, place, what) {
  const box = await place.boundingBox();
  const { height } = page.viewportSize();
  check(box && box.y >= 0 && box.y + box.height <= height, `${what} is below what is seen: ${JSON.stringify(box)}`);
}

const minutes = (lang, width, look) => ({
  name: `the first minutes of a new user, ${lang}, ${width} px: introduction, answer, approval, automation`,
  async run({ freshServer, open, shot }) {
    const w = words[lang];
    const { base, call } = await freshServer();
    const page = await open({ base, ...look });
    let n = 0;
    const seen = async (what) => {
      await noSideScroll(page, what);
      if (lang === 'fr') none(english(await page.locator('body').innerText()), `English: ${what}`);
      await shot(page, `minutes-${lang}-${width}-${++n}-${what}`);
    };
    const field = () => page.getByRole('textbox').last();
    const say = async (text) => {
      await field().fill(text);
      await field().press('Enter');
    };
    const answers = page.locator('[data-sender=AI]:not([data-live])');
    const asks = page.locator('[data-approval][data-status=open]');
    const rest = () =>
      until('it rests', async () => {
        const { data } = await call('GET', '/v1/sessions?type=CHAT&limit=1'); // the chat that an automation is made from is idle too
        return data.length > 0 && data[0].status === 'idle' && (await page.locator('[data-live]').count()) === 0;
      });
    // The button is visible, above the field that covers the bottom.
    const inSight = async (button) => {
      await button.waitFor();
      await until('it is in sight', async () => {
        const [it, below] = [await button.boundingBox(), await field().boundingBox()];
        return it && below && it.y + it.height < below.y;
      });
    };

    // The introduction, and the message field.
    await settled(page);
    await page.getByText(w.what).first().waitFor();
    await inView(page, page.getByText(w.what).first(), 'what this is');
    await inView(page, field(), 'where one types');
    await seen('home');

    // A first answer, and a first approval: the first page promises to ask.
    const button = asks.getByRole('button', { name: w.approve });
    const approve = async () => {
      await inSight(button);
      const id = await asks.getAttribute('data-approval');
      await button.click();
      await until('it is approved', async () => (await call('GET', `/v1/approvals/${id}`)).status === 'approved');
    };
    await page.getByRole('button', { name: w.chip }).click();
    await seen('chip');
    await field().press('Enter');
    await inSight(asks.getByRole('button', { name: w.approve }));
    await seen('first-approval');
    same((await call('GET', '/v1/zones')).data.length, 0, 'what was changed before the first approval');
    await approve();
    await until('what it needs is there', async () => {
      if ((await call('GET', '/v1/tools')).data.length) return true;
      if ((await call('GET', '/v1/approvals?status=open')).data.length) await approve();
      return false;
    });
    await answers.first().waitFor();
    await rest();
    await answers.last().waitFor();
    await inView(page, field(), 'where one types');
    await seen('answer');
    await say(w.note);
    await approve();
    await until('it is noted', async () => {
      const [tool] = (await call('GET', '/v1/tools')).data;
      return tool && (await call('GET', `/v1/tools/${tool.id}/entries`)).data[0]?.data.value === 7.5;
    });
    await rest();
    await seen('noted');

    // A change, with before and after.
    await say(w.change);
    await inSight(button);
    await seen('asked');
    const [tool] = (await call('GET', '/v1/tools')).data;
    const value = async () => (await call('GET', `/v1/tools/${tool.id}/entries`)).data[0].data.value;
    same(await value(), 7.5, 'before the yes');
    await asks.getByRole('button', { name: w.approve }).click();
    await until('it is changed', async () => (await value()) === 8);
    await rest();
    await seen('approved');

    // A first automation, requested in the chat.
    await say(w.daily);
    await inSight(asks.getByRole('button', { name: w.approve }));
    await seen('automation-asked');
    await asks.getByRole('button', { name: w.approve }).click();
    await until('it is there', async () => (await call('GET', '/v1/automations')).data.length === 1);
    await rest();
    await page.locator('[data-made]').waitFor();
    await seen('automation-made');
    await page.locator('[data-made]').click();
    await settled(page);
    await page.getByText(w.next).first().waitFor();
    await seen('automation');
    await page.goto(base);
    await settled(page);
    await page.getByRole('link', { name: w.made }).first().waitFor(); // Home shows when it runs
    await seen('home-after');
  },
});

export const steps = looks.map(([lang, width, look]) => minutes(lang, width, look));
