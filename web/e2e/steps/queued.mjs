// A long queue: position and estimate in a line; the sessions ahead only in the tooltip.
import { becomes, check, dark, french, narrow, same, tidy, until } from '../harness.mjs';

const many = 14;

// queue creates an active run and a number of queued ones, after one completed run as history.
async function queue({ call, demo, endless }) {
  await demo({ word_delay_ms: 60 });
  const order = await call('POST', '/v1/automations', { name: 'Weekly sums', seed: { text: 'help' } });
  const run = async () => (await call('POST', `/v1/automations/${order.id}/execute`)).session.id;
  const first = await run();
  await until(
    'one was done',
    async () => (await call('GET', `/v1/sessions/${first}`)).end_reason === 'COMPLETED',
    60_000,
  );
  await endless({ every: 30 });
  for (let i = 0; i < many; i++) await run();
  await until('they wait', async () => (await call('GET', '/v1/queue')).length >= many - 1);
}

export const steps = [
  {
    name: 'runs in a long queue have a position and an estimate, not a list of names; Home shows five of them',
    lasts: 180_000,
    async run(world) {
      const { open, shot } = world;
      await queue(world);
      const page = await open({ at: '/runs' });
      const places = page.locator('[data-place]');
      await becomes(() => places.count(), many - 1, 'runs that wait');
      const last = page.locator(`[data-place="${many - 1}"]`);
      await last.getByText('13th in the queue').waitFor();
      await last.locator('[data-wait]').getByText(/about/).waitFor();
      check(!(await last.innerText()).includes('Weekly sums'), 'names stand in the row');
      check((await last.getAttribute('title')).startsWith('After Weekly sums'), 'names are said on hover');
      await tidy(page, 'a long queue of runs');
      await shot(page, 'runs-queue');

      const home = await open({ at: '/' });
      const rows = home.locator('[data-card=queue] li[data-session]');
      await becomes(() => rows.count(), 5, 'rows on Home');
      const card = home.locator('[data-card=queue]');
      check(!/current chat/.test(await card.innerText()), 'a run that holds the slot is called a chat');
      const said = await rows.allInnerTexts();
      const reasons = said.filter((text) => /Waiting|The previous run/.test(text));
      check(reasons.length < said.length, `equal reasons are said once: ${said.join(' | ')}`);
      await tidy(home, 'a long queue on Home');
      await shot(home, 'home-queue-five');
      await home.getByRole('button', { name: `${many - 1 - 5} more` }).click();
      await becomes(() => rows.count(), many - 1, 'all rows');

      const small = await open({ at: '/runs', ...narrow, ...dark, ...french });
      await small
        .locator(`[data-place="${many - 1}"]`)
        .getByText('13e dans la file')
        .waitFor();
      await tidy(small, 'a long queue, narrow, dark, French');
      await shot(small, 'runs-queue-narrow-dark-fr');
      same((await small.locator('[data-place]').first().getAttribute('data-place')) !== null, true, 'places');
    },
  },
];
