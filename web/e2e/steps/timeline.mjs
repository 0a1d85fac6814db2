import { readFileSync } from 'node:fs';
import { becomes, check, dark, french, narrow, same, tidy, until } from '../harness.mjs';

const rows = (page) => page.getByRole('listbox');
const iso = (ms) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();

// A long record: every call takes 2 s, and after every hundredth there are two idle hours.
function record(n) {
  const usage = {
    input_tokens: 1000,
    cache_read_tokens: 500,
    cache_write_tokens: 0,
    output_tokens: 20,
    reasoning_tokens: 0,
    cost: { amount: 0.001, currency: 'USD' },
  };
  let at = 0;
  return Array.from({ length: n }, (_, i) => {
    const started = (at += 3000 + (i > 0 && i % 100 === 0 ? 7_200_000 : 0));
    at += 2000;
    return {
      kind: 'roundtrip',
      at: iso(started),
      round_id: 'rnd_1',
      duration_ms: 2000,
      roundtrip: {
        id: `rtp_${i}`,
        round_id: 'rnd_1',
        number: i + 1,
        reason: 'USER_MESSAGE',
        purpose: 'answer',
        provider_id: null,
        provider_kind: 'demo',
        model: 'made-up',
        outcome: 'answered',
        usage,
        prompt_hash: 'abc',
        prompt_tokens: 1500,
        streamed: true,
        started_at: iso(started),
        first_token_at: iso(started + 500),
        ended_at: iso(started + 2000),
        time_to_first_token_ms: 500,
        duration_ms: 2000,
      },
    };
  });
}

export const steps = [
  {
    name: 'a session is shown step by step, live, with details',
    async run({ open, call, shot }) {
      const { id } = await call('POST', '/v1/sessions', { name: 'Sleep' });
      const page = await open({ at: `/timeline/${id}` });
      await page.getByText('Nothing has happened yet.').waitFor();
      await call('POST', `/v1/sessions/${id}/messages`, { text: 'create the zones Kitchen, Garden and Attic' });
      await rows(page).getByText('Message received').first().waitFor();
      const question = rows(page).locator('[data-kind="approval"]');
      await question.waitFor();
      await page.locator('[data-status="requires_action"]').waitFor();

      // By keyboard only: the first call, and its details.
      await rows(page).focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.locator('[data-details^="rtp_"]').getByText('Tokens in').waitFor();
      same(await rows(page).locator('[aria-selected="true"]').count(), 1, 'one row is chosen');
      await page.getByRole('button', { name: 'Show the raw answer' }).click();
      await page.getByRole('heading', { name: 'Commands requested' }).waitFor();
      await tidy(page, 'a timeline with details');
      await shot(page, 'timeline-light');

      const [{ id: approval }] = (await call('GET', '/v1/approvals?status=open')).data;
      await call('POST', `/v1/approvals/${approval}`, { approved: true });
      await rows(page).locator('[data-kind="execution"]').getByText('Create zone').nth(2).waitFor();
      await page.locator('[data-status="idle"]').waitFor();
      await becomes(
        () =>
          rows(page)
            .locator('[data-kind="approval"]')
            .textContent()
            .then((text) => /approved/.test(text)),
        true,
        'the answer stands there',
      );

      await page.locator('[data-filter="transition"]').uncheck();
      await becomes(() => rows(page).locator('[data-kind="transition"]').count(), 0, 'steps are left out');
      await page.getByRole('button', { name: 'Compact' }).click();
      await shot(page, 'timeline-compact-light');
      await page.getByRole('button', { name: 'JSON', exact: true }).nth(1).click();
      await page.getByRole('group', { name: 'JSON' }).getByText('"transition"').first().waitFor();
      await tidy(page, 'the record as JSON');

      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('group', { name: 'Download' }).getByRole('button', { name: 'Markdown' }).click(),
      ]);
      check(readFileSync(await download.path(), 'utf8').includes('Kitchen'), 'the Markdown has the record');
      const [json] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('group', { name: 'Download' }).getByRole('button', { name: 'JSON' }).click(),
      ]);
      same(JSON.parse(readFileSync(await json.path(), 'utf8')).session.id, id, 'the JSON is that of the session');

      const other = await open({ ...dark, ...narrow, ...french, at: `/timeline/${id}` });
      await rows(other).getByText('Message reçu').first().waitFor();
      await tidy(other, 'a timeline, dark, narrow, French');
      await shot(other, 'timeline-dark-narrow-fr');
    },
  },
  {
    name: 'five thousand rows stay fast, and idle hours are folded',
    async run({ open, call, shot }) {
      const { id } = await call('POST', '/v1/sessions', { name: 'Long' });
      const all = record(5000);
      const page = await open({ at: '/' });
      await page.route(/\/timeline\?/, (route) => {
        const from = Number(new URL(route.request().url()).searchParams.get('after') ?? 0);
        const data = all.slice(from, from + 200);
        return route.fulfill({ json: { data, next_cursor: from + 200 < all.length ? String(from + 200) : null } });
      });
      await page.goto(`${page.url().split('#')[0]}#/timeline/${id}`);
      await page.getByText('5,049 rows').waitFor();
      check((await rows(page).getByRole('option').count()) < 100, 'only what is seen is there');
      await rows(page).focus();
      await page.keyboard.press('End');
      await rows(page).getByText('Call 5000: made-up').first().waitFor();
      const slowest = await page.evaluate(async () => {
        const list = document.querySelector('[role="listbox"]');
        let worst = 0;
        for (let i = 0; i < 30; i++) {
          const begun = performance.now();
          list.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp', bubbles: true }));
          await new Promise((done) => {
            requestAnimationFrame(() => setTimeout(done));
          });
          worst = Math.max(worst, performance.now() - begun);
        }
        return worst;
      });
      console.log(`      5,049 rows: the slowest key took ${slowest.toFixed(0)} ms`);
      await page.keyboard.press('Home');
      await rows(page).getByText('Call 1: made-up').first().waitFor();
      for (let i = 0; i < 7; i++) await page.keyboard.press('PageDown');
      const fold = rows(page).locator('[data-folded]').first();
      await fold.scrollIntoViewIfNeeded();
      same(await fold.getAttribute('data-folded'), 'true', 'two idle hours are folded');
      await shot(page, 'timeline-fold-light');
      await fold.click();
      await becomes(
        () => rows(page).locator('[aria-selected="true"] [data-folded]').getAttribute('data-folded'),
        'false',
        'they are unfolded',
      );
      await page.keyboard.press('Enter');
      await becomes(
        () => rows(page).locator('[aria-selected="true"] [data-folded]').getAttribute('data-folded'),
        'true',
        'Enter folds them again',
      );
      await until('the place is kept', () => fold.isVisible());
    },
  },
];
