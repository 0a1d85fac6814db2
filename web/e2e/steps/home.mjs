import http from 'node:http';
import { becomes, check, dark, french, narrow, same, tidy, until } from '../harness.mjs';

export const env = { FERMATA_ALLOWED_HOSTS: '127.0.0.0/8' };

// A model that answers when it is told to: what it is asked stays open until then.
async function model() {
  const open = [];
  const server = http.createServer((request, response) => {
    let text = '';
    request.on('data', (piece) => {
      text += piece;
    });
    request.on('end', () => {
      const asked = JSON.parse(text || '{}');
      const answer = { cut: false, say: (words) => reply(response, asked, words) };
      response.on('close', () => {
        answer.cut = !response.writableEnded;
        open.splice(open.indexOf(answer), 1);
      });
      open.push(answer);
    });
  });
  await new Promise((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  return {
    open,
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function reply(response, { stream, model: name }, content) {
  const usage = { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 };
  const base = { id: 'x', created: 1, model: name };
  if (!stream) {
    response.setHeader('Content-Type', 'application/json');
    response.end(
      JSON.stringify({
        ...base,
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
        usage,
      }),
    );
    return;
  }
  response.setHeader('Content-Type', 'text/event-stream');
  const send = (choices, more) =>
    response.write(`data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices, ...more })}\n\n`);
  send([{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }]);
  send([{ index: 0, delta: {}, finish_reason: 'stop' }], { usage });
  response.end('data: [DONE]\n\n');
}

const card = (page, name) => page.locator(`[data-card="${name}"]`);

export const steps = [
  {
    name: 'somebody new is led through three steps',
    async run({ open, call, shot }) {
      const page = await open({ at: '/' });
      await page.getByRole('heading', { name: 'Three steps to begin' }).waitFor();
      await tidy(page, 'the first steps');
      await shot(page, 'home-first-light');
      await page.getByRole('button', { name: 'Go on with the demo' }).click();
      await page.locator('[data-step="1"][data-done="true"]').waitFor();
      await page.getByRole('button', { name: 'Make the sample' }).click();
      await page.locator('[data-step="3"][data-done="true"]').waitFor();
      const [made] = (await call('GET', '/v1/automations')).data;
      same(made.enabled, false, 'the sample is switched off');
      same(made.schedule.expression, '0 8 * * *', 'its schedule');
      await page.getByRole('button', { name: 'Open a chat with it' }).click();
      await page.waitForURL(/#\/chat/);
      await page.getByText('create a zone Health; track my sleep').first().waitFor();
      await page.locator('#message').press('Enter');
      await until('the conversation is there', async () => (await call('GET', '/v1/zones')).data.length === 1);
      await page.getByRole('link', { name: 'Home' }).click();
      await page.locator('[data-step="2"][data-done="true"]').waitFor();
      await page.getByRole('button', { name: 'Hide these steps' }).click();
      await becomes(() => card(page, 'steps').count(), 0, 'the steps are gone');
      await page.reload();
      await card(page, 'recent')
        .getByRole('link', { name: /create a zone Health/ })
        .waitFor();
      same(await card(page, 'steps').count(), 0, 'the steps stay away');
    },
  },
  {
    name: 'a conversation sets an automation aside, and both sides say so',
    async run({ open, call, shot }) {
      const ai = await model();
      try {
        await call('POST', '/v1/providers', {
          name: 'Patient',
          kind: 'openai_compatible',
          is_default: true,
          config: { base_url: ai.url, model: 'patient' },
        });
        const order = await call('POST', '/v1/automations', { name: 'Nightly sums', seed: { text: 'sum it up' } });
        const { holder } = await call('GET', '/v1/slot');
        // A chat that rests keeps the slot for five minutes.
        if (holder) await call('POST', `/v1/sessions/${holder.id}/stop`);
        const page = await open({ at: '/' });
        await card(page, 'slot').getByText('Nobody.').waitFor();
        const { session: run } = await call('POST', `/v1/automations/${order.id}/execute`);
        await card(page, 'slot').locator(`[data-session="${run.id}"]`).waitFor();
        await card(page, 'slot').getByText('The AI is thinking').waitFor();
        await until('the model is asked', () => ai.open.length === 1);
        const second = await call('POST', `/v1/automations/${order.id}/execute`);
        const queued = card(page, 'queue').locator(`li[data-session="${second.session.id}"]`);
        await queued.waitFor();
        await becomes(() => queued.getAttribute('data-reason'), 'own_run_goes', 'why it waits');

        const chat = await call('POST', '/v1/sessions', { name: 'Now', message: 'something first' });
        await card(page, 'slot').locator(`[data-session="${chat.id}"]`).waitFor();
        await card(page, 'slot').locator('[data-aside="here"]').getByRole('link', { name: 'Nightly sums' }).waitFor();
        const aside = card(page, 'aside').locator(`li[data-session="${run.id}"]`);
        await aside.getByText('Set aside by your conversation Now').waitFor();
        await tidy(page, 'home at work');
        await shot(page, 'home-aside-light');
        const other = await open({ ...dark, ...narrow, ...french, at: '/' });
        await other.locator('[data-card="aside"]').waitFor();
        await tidy(other, 'home at work, dark, narrow, French');
        await shot(other, 'home-aside-dark-narrow-fr');

        await aside.getByRole('link', { name: 'Nightly sums' }).click();
        await page.locator('[data-status="suspended"]').waitFor();
        await page.locator('[data-waits="slot"]').getByRole('link', { name: 'Now' }).waitFor();
        await page.getByRole('link', { name: 'Home' }).click();

        await card(page, 'queue').getByRole('button', { name: 'Take Nightly sums out of the queue' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Leave the queue' }).click();
        await becomes(() => queued.count(), 0, 'it has left the queue');
        await until('the model is asked for the chat', () => ai.open.length === 1);
        ai.open[0].say('Done, go on.');
        await until(
          'the chat is answered',
          async () => (await call('GET', `/v1/sessions/${chat.id}`)).phase === 'IDLE',
        );
        await call('POST', `/v1/sessions/${chat.id}/stop`);
        await card(page, 'slot').locator(`[data-session="${run.id}"]`).waitFor();
        await becomes(() => card(page, 'aside').count(), 0, 'nothing is set aside any more');
        check(!(await call('GET', `/v1/sessions/${run.id}`)).end_reason, 'the run goes on');
      } finally {
        ai.close();
      }
    },
  },
];
