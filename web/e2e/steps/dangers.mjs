// Nothing dangerous is approved unseen: neither by mouse nor by keyboard, in the inbox and in the chat.
import { becomes, check, dark, french, narrow, same, tidy, until } from '../harness.mjs';

const open = async (call) => (await call('GET', '/v1/approvals?status=open&limit=200')).data;
const zones = async (call) => (await call('GET', '/v1/zones?limit=200')).data.map((z) => z.name);

// twenty requests nineteen new zones and, last, the deletion of a zone with all of its content.
async function twenty(call, name) {
  await call('PATCH', '/v1/settings', { require_validation: false });
  const zone = await call('POST', '/v1/zones', { name });
  await call('POST', '/v1/tools', {
    zone_id: zone.id,
    tool_type: 'tracking',
    name: `Sleep ${name}`,
    config: { unit: 'h' },
  });
  await call('PATCH', '/v1/settings', { require_validation: true, max_calls_per_response: 30 });
  const calls = Array.from({ length: 19 }, (_, i) => ({
    name: 'CREATE_ZONE',
    arguments: { name: `${name} room ${i + 1}` },
  }));
  calls.push({ name: 'DELETE_ZONE', arguments: { zone_id: zone.id, force: true } });
  const script = await call('POST', '/v1/providers', {
    name: `Twenty ${name}`,
    kind: 'script',
    config: {
      steps: [
        { when: { contains: 'twenty', roundtrip: 1 }, answer: { calls } },
        { when: { contains: 'twenty', roundtrip: 2 }, answer: { text: 'Done.' } },
      ],
    },
  });
  const { id } = await call('POST', '/v1/sessions', {
    type: 'CHAT',
    name,
    provider_id: script.id,
    message: { text: 'twenty' },
  });
  return until(`${name} asks`, async () => (await open(call)).find((a) => a.session_id === id));
}

const status = async (call, id) => (await call('GET', `/v1/approvals/${id}`)).status;
const danger = (card) => card.locator('[data-danger]');
const inView = async (page, element) => {
  const box = await element.boundingBox();
  return box !== null && box.y >= 0 && box.y < page.viewportSize().height;
};

export const steps = [
  {
    name: 'the header counts the effects, and the deletion comes first, expanded and marked',
    async run({ open: look, call, shot }) {
      const asked = await twenty(call, 'Head');
      for (const [view, shape] of [
        ['light', { viewport: { width: 1440, height: 900 } }],
        ['dark', { ...dark, viewport: { width: 768, height: 1024 } }],
        ['narrow', narrow],
      ]) {
        const page = await look({ at: `/approvals/${asked.id}`, ...shape });
        const card = page.locator(`[data-detail] [data-approval="${asked.id}"]`);
        await card.getByRole('heading', { name: '20 changes: 19 added, 1 deletion' }).waitFor();
        check(
          await card.locator('[data-action]').first().getAttribute('data-danger'),
          'the first action is the dangerous one',
        );
        check(await danger(card).getByText('It holds 1 tool').isVisible(), 'its warning is folded away');
        same(
          await page.getByRole('checkbox', { name: /^Select: / }).count(),
          0,
          'what is dangerous is not approved with others',
        );
        await tidy(page, `twenty actions, ${view}`);
        await shot(page, `dangers-${view}`);
      }
      const page = await look({ at: `/approvals/${asked.id}`, ...french });
      await page.getByRole('heading', { name: '20 modifications : 19 ajouts, 1 suppression' }).waitFor();
      await call('POST', `/v1/approvals/${asked.id}`, { approved: false });
    },
  },
  {
    name: 'one press is enough for visible actions; then all of them can be undone at once',
    async run({ open: look, call, shot }) {
      const asked = await twenty(call, 'Keys');
      const page = await look({ at: `/approvals/${asked.id}`, viewport: { width: 1280, height: 700 } });
      const card = page.locator(`[data-detail] [data-approval="${asked.id}"]`);
      await card.waitFor();
      check(await inView(page, danger(card)), 'the deletion is in sight when the card is opened');
      await card.locator('[data-danger][data-seen]').waitFor();
      await page.keyboard.press('a');
      await until('it is approved', async () => (await status(call, asked.id)) === 'approved');
      const banner = page.locator('[data-last=approved]');
      await banner.getByText('Approved 20 changes').waitFor();
      await until('the zone is gone', async () => !(await zones(call)).includes('Keys'));
      await banner.getByRole('button', { name: 'Undo' }).waitFor();
      await tidy(page, 'what was approved, with its undo');
      await shot(page, 'dangers-approved');
      await banner.getByRole('button', { name: 'Undo' }).click();
      await banner.getByText('Undone').waitFor();
      await until('all of it was taken back', async () => {
        const all = await zones(call);
        return all.includes('Keys') && !all.some((name) => name.startsWith('Keys room'));
      });
    },
  },
  {
    name: 'in the inbox the key A approves nothing that was never visible',
    async run({ open: look, call, shot }) {
      const asked = await twenty(call, 'Covered');
      const page = await look({ at: '/', viewport: { width: 1280, height: 700 } });
      // An element covers the card while it is drawn.
      await page.addInitScript(() => {
        document.addEventListener('DOMContentLoaded', () => {
          const cover = document.createElement('div');
          cover.id = 'cover';
          cover.style.cssText = 'position: fixed; inset: 0; z-index: 99; background: #888';
          document.body.append(cover);
        });
      });
      await page.goto(`${new URL(page.url()).origin}/#/approvals/${asked.id}`);
      await page.reload();
      const card = page.locator(`[data-detail] [data-approval="${asked.id}"]`);
      await card.waitFor();
      await page.keyboard.press('a');
      await card.locator('[data-look]').waitFor();
      same(await status(call, asked.id), 'open', 'after the key, when nothing was seen');
      await page.evaluate(() => document.querySelector('#cover').remove());
      await page.mouse.move(900, 300);
      await page.mouse.wheel(0, 40);
      check(await inView(page, danger(card)), 'the deletion is in sight');
      await shot(page, 'dangers-look');
      await until('the second press counts', async () => {
        await page.keyboard.press('a');
        return (await status(call, asked.id)) === 'approved';
      });
    },
  },
  {
    name: 'in the chat a double click at the end of the card approves nothing that was never visible',
    async run({ open: look, call, shot }) {
      const asked = await twenty(call, 'Unseen');
      // The record is scrolled to its end: the card's buttons are visible, its beginning is not.
      const chat = await look({ at: `/chat/${asked.session_id}`, viewport: { width: 1280, height: 700 } });
      const card = chat.locator(`[data-approval="${asked.id}"]`);
      const approve = card.locator('[data-do=approve]');
      await approve.waitFor();
      await until('the end of the card is in sight', () => inView(chat, approve));
      check(!(await inView(chat, danger(card))), 'the deletion is out of sight');
      await shot(chat, 'dangers-chat');
      await approve.dblclick();
      await card.locator('[data-look]').waitFor({ state: 'attached' });
      await until('the deletion is in sight', () => inView(chat, danger(card)));
      same(await status(call, asked.id), 'open', 'after a double click');
      await card.locator('[data-danger][data-seen]').waitFor();
      await shot(chat, 'dangers-chat-shown');
      await until('the second press counts', async () => {
        if ((await status(call, asked.id)) === 'approved') return true;
        await approve.click({ timeout: 1000 }).catch(() => {}); // it disappears once it is counted
        return false;
      });
    },
  },
  {
    name: 'always allow this: the card turns off the rule that required approval, and the toast offers undo',
    async run({ open: look, call, shot }) {
      for (const a of await open(call)) await call('POST', `/v1/sessions/${a.session_id}/stop`, {});
      await call('PATCH', '/v1/settings', { require_validation: true });
      const { id } = await call('POST', '/v1/sessions', { type: 'CHAT', name: 'Always' });
      await call('POST', `/v1/sessions/${id}/messages`, { text: 'create a zone Always' });
      await until('it asks', async () => (await open(call)).length === 1);
      const page = await look({ at: `/chat/${id}` });
      await page.getByRole('checkbox', { name: 'Always allow changes in this workspace' }).check();
      await tidy(page, 'a card with the choice to allow always');
      await shot(page, 'always');
      same((await call('GET', '/v1/settings')).require_validation, true, 'a tick alone changes nothing');
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await until('it is no longer asked', async () => !(await call('GET', '/v1/settings')).require_validation);
      const toast = page.locator('[data-toast]');
      await toast.getByText('Changes in this workspace no longer need approval.').waitFor();
      await toast.getByRole('button', { name: 'Undo' }).click();
      await becomes(
        async () => (await call('GET', '/v1/settings')).require_validation,
        true,
        'it is asked again after the undo',
      );
    },
  },
];
