// Each failure of a provider has its own text and remedy; a partial answer is kept.
import http from 'node:http';
import { becomes, check, dark, french, narrow, same, tidy, until } from '../harness.mjs';

export const env = { FERMATA_ALLOWED_HOSTS: '127.0.0.0/8' };

const field = (page) => page.getByRole('textbox', { name: 'Message' });

// vendor is a provider that fails as configured, and otherwise answers.
async function vendor(call, name) {
  const state = { asked: 0, fail: null };
  const server = http.createServer((request, response) => {
    request.resume();
    if (request.method !== 'POST') return response.writeHead(404).end();
    state.asked++;
    if (state.fail) return state.fail(response);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const send = (delta, finish = null) =>
      response.write(
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
      );
    send({ role: 'assistant', content: 'All is well again.' });
    send({}, 'stop');
    return response.end('data: [DONE]\n\n');
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { id } = await call('POST', '/v1/providers', {
    name,
    kind: 'openai_compatible',
    is_default: true,
    config: { base_url: `http://127.0.0.1:${server.address().port}/v1`, api_key: 'none', model: 'm' },
  });
  return {
    id,
    fails: (fail) => {
      state.fail = fail;
    },
    asked: () => state.asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const refuses =
  (status, message, headers = {}) =>
  (response) =>
    response
      .writeHead(status, { 'Content-Type': 'application/json', ...headers })
      .end(JSON.stringify({ error: { message, type: 'error' } }));

// breaks the connection after some words of an answer
const breaksOff = (response) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write(
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { role: 'assistant', content: 'The first half of what I wanted to say, ' }, finish_reason: null }] })}\n\n`,
  );
  setTimeout(() => response.destroy(), 300);
};

async function fails(world, name, how, look = {}) {
  const ai = await vendor(world.call, name);
  ai.fails(how);
  const page = await world.open({ at: '/chat', ...look });
  await field(page).fill('hello');
  await field(page).press('Enter');
  const box = page.locator('[data-system=NETWORK_ERROR]');
  await box.waitFor({ timeout: 60_000 });
  return { ai, page, box };
}

export const steps = [
  {
    name: 'a rate limit counts down in words, and the question is retried automatically',
    lasts: 150_000,
    async run(world) {
      const { ai, page, box } = await fails(world, 'Mock', refuses(429, 'Rate limit reached', { 'Retry-After': '12' }));
      try {
        await box.getByText('Mock is limiting requests.').waitFor();
        await box
          .locator('[data-countdown]')
          .getByText(/^Trying again in \d+/)
          .waitFor();
        same(await box.getByRole('link', { name: 'Check the provider' }).count(), 0, 'the settings are no help');
        check(!/UTC/.test(await box.innerText()), 'the time is another clock’s');
        await tidy(page, 'a limit that counts down');
        await world.shot(page, 'failure-limit');
        ai.fails(null);
        await page.locator('[data-sender=AI]').getByText('All is well again.').waitFor({ timeout: 60_000 });
        await becomes(() => box.locator('[data-countdown]').count(), 0, 'it counts no more');
        const { id } = (await world.call('GET', '/v1/sessions?type=CHAT&limit=1')).data[0];
        same(
          (await world.call('GET', `/v1/sessions/${id}/messages`)).data.filter((m) => m.sender === 'USER').length,
          1,
          'my messages',
        );
      } finally {
        ai.close();
      }
    },
  },
  {
    name: 'a rate-limited question can be retried at once, once per press, and only the last failure is prominent',
    lasts: 150_000,
    async run(world) {
      const { ai, page, box } = await fails(
        world,
        'Mock',
        refuses(429, 'Rate limit reached', { 'Retry-After': '300' }),
      );
      try {
        await box.getByText(/^Trying again in 4m/).waitFor();
        await box.getByRole('button', { name: 'Try now' }).click();
        await becomes(() => box.count(), 2, 'failures, once it was tried');
        same(await page.locator('[data-system=NETWORK_ERROR][data-tried]').count(), 1, 'quiet ones');
        same(await box.getByRole('button', { name: 'Try now' }).count(), 1, 'the way on');
        await tidy(page, 'a limit that was tried again');
        await world.shot(page, 'failure-limit-twice');
      } finally {
        ai.close();
      }
    },
  },
  {
    name: 'a page opened after the countdown does not retry automatically, but offers it',
    lasts: 150_000,
    async run(world) {
      const { ai, page, box } = await fails(world, 'Mock', refuses(429, 'Rate limit reached', { 'Retry-After': '5' }));
      try {
        await box.locator('[data-countdown]').waitFor();
        const at = page.url();
        await page.close();
        const { id } = (await world.call('GET', '/v1/sessions?type=CHAT&limit=1')).data[0];
        const failed = (await world.call('GET', `/v1/sessions/${id}/messages`)).data.findLast((m) => m.system_message);
        await until('the time is over', () => Date.now() > Date.parse(failed.system_message.retry_at), 30_000);
        ai.fails(null);
        const before = ai.asked();
        const later = await world.open();
        await later.goto(at);
        await later.getByRole('button', { name: 'Try again' }).waitFor();
        same(await later.locator('[data-countdown]').count(), 0, 'what counts down');
        same(ai.asked(), before, 'calls of the provider');
        await later.getByRole('button', { name: 'Try again' }).click();
        await later.locator('[data-sender=AI]').getByText('All is well again.').waitFor({ timeout: 60_000 });
        same(ai.asked(), before + 1, 'calls of the provider, once it was asked for');
      } finally {
        ai.close();
      }
    },
  },
  {
    name: 'an exhausted quota and a provider error are named as such, in both languages',
    lasts: 150_000,
    async run(world) {
      const quota = await fails(
        world,
        'Mock',
        refuses(429, 'You exceeded your current quota, please check your plan and billing details.'),
      );
      try {
        await quota.box.getByText('The quota or balance at Mock is used up.').waitFor();
        await quota.box.getByRole('link', { name: 'Check the provider' }).waitFor();
        same(
          await quota.box.getByRole('link', { name: 'Check the provider' }).getAttribute('href'),
          `#/settings/providers/${quota.ai.id}`,
          'the way to the provider',
        );
        await tidy(quota.page, 'a used-up quota');
        await world.shot(quota.page, 'failure-quota');
      } finally {
        quota.ai.close();
      }
      const error = await fails(world, 'Mock', refuses(500, 'Internal server error'), {
        ...narrow,
        ...dark,
        ...french,
      });
      try {
        await error.box.getByText('Une erreur est survenue chez Mock.').waitFor();
        await error.page.getByRole('button', { name: 'Réessayer' }).waitFor();
        await tidy(error.page, 'an error of the provider, narrow, dark, French');
        await world.shot(error.page, 'failure-error-narrow-dark-fr');
      } finally {
        error.ai.close();
      }
    },
  },
  {
    name: 'a truncated answer keeps its text, and is continued',
    lasts: 150_000,
    async run(world) {
      const { ai, page, box } = await fails(world, 'Mock', breaksOff);
      try {
        await box.getByText('The connection to Mock was lost in the middle of the answer.').waitFor();
        const half = page.locator('[data-sender=AI]');
        await half.getByText('The first half of what I wanted to say,').waitFor();
        await half.locator('[data-mark=cut]').waitFor();
        await until('it is said to a screen reader', async () =>
          (await page.locator('#announce').innerText()).includes('This answer was cut off. What arrived is kept.'),
        );
        check(
          !(await page.locator('#announce').innerText()).includes('answering again'),
          'a screen reader is promised another answer',
        );
        await tidy(page, 'an answer that was cut');
        await world.shot(page, 'failure-cut');
        ai.fails(null);
        await box.getByRole('button', { name: 'Continue' }).click();
        await page.locator('[data-sender=AI]').getByText('All is well again.').waitFor({ timeout: 60_000 });
        same(await half.getByText('The first half of what I wanted to say,').count(), 1, 'what had arrived');
      } finally {
        ai.close();
      }
    },
  },
  {
    name: 'an answer stopped before its first word is shown as such, and can be requested again',
    async run({ open, call, shot }) {
      const ai = await vendor(call, 'Mock');
      ai.fails(() => {}); // it never responds
      try {
        const page = await open({ at: '/chat' });
        await field(page).fill('hello');
        await field(page).press('Enter');
        await until('it is asked', () => ai.asked() > 0);
        await page.locator('[data-act=stop]').click();
        await page.getByText('Stopped before the answer began.').waitFor();
        await tidy(page, 'stopped before the first word');
        await shot(page, 'failure-stopped');
        ai.fails(null);
        await page.getByRole('button', { name: 'Try again' }).click();
        await page.locator('[data-sender=AI]').getByText('All is well again.').waitFor();
        await becomes(() => page.getByText('Stopped before the answer began.').count(), 0, 'it is no longer stopped');
      } finally {
        ai.close();
      }
    },
  },
];
