import http from 'node:http';
import { check, dark, doTo, french, narrow, same, tidy, until } from '../harness.mjs';

export const env = { FERMATA_ALLOWED_HOSTS: '127.0.0.0/8' };

// A receiver with a configurable response.
async function receiver() {
  const got = [];
  const state = { status: 204 };
  const server = http.createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      got.push({ id: request.headers['webhook-id'], ...JSON.parse(Buffer.concat(parts).toString()) });
      response.writeHead(state.status).end();
    });
  });
  await new Promise((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}/fermata`,
    got,
    answers: (status) => {
      state.status = status;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export const steps = [
  {
    name: 'a webhook is added, tested, viewed, redelivered and deleted',
    async run({ open, call, shot }) {
      const there = await receiver();
      try {
        const page = await open({ at: '/settings/webhooks' });
        const mine = page.locator('[data-webhook]');
        await page.getByText('No webhooks yet.').waitFor();
        await page.getByRole('button', { name: 'Add a webhook' }).click();
        await tidy(page, 'a webhook is added');
        await shot(page, 'webhooks-add-light');
        await page.getByLabel(/^Address/).fill('ftp://nowhere.example');
        await page.getByLabel('data.changed').check();
        await page.getByRole('button', { name: 'Add a webhook' }).last().click();
        await page
          .getByText(/The URL must be like https/)
          .first()
          .waitFor();
        await page.getByLabel(/^Address/).fill(there.url);
        await page.getByRole('button', { name: 'Add a webhook' }).last().click();
        const secret = await page.locator('[data-new-secret]').textContent();
        check(secret.startsWith('whsec_'), 'the secret is shown');
        await tidy(page, 'a new secret');
        await page.getByRole('button', { name: 'I have copied it' }).click();
        same(await page.getByText(secret).count(), 0, 'it is shown this once');

        await doTo(mine, 'Test');
        await page.locator('[data-test="ok"]').waitFor();
        await call('POST', '/v1/zones', { name: 'Health' });
        await until('the event is received', async () => there.got.some((m) => m.type === 'data.changed'));
        await doTo(mine, 'Deliveries');
        const row = page.locator('[data-delivery]').first();
        await row.getByText('delivered').waitFor();
        await tidy(page, 'deliveries');
        await shot(page, 'webhooks-deliveries-light');
        const before = there.got.length;
        await row.getByRole('button', { name: /^Resend from here: event/ }).click();
        await page.locator('[data-again]').waitFor();
        await until('it is received again', async () => there.got.length > before);
        same(there.got.at(-1).id, there.got[before - 1].id, 'under the same id');
        await page.getByRole('button', { name: 'Close' }).click();

        there.answers(500);
        await call('POST', '/v1/zones', { name: 'Work' });
        await page.reload();
        await until('it says that it fails', async () => {
          const list = await call('GET', '/v1/webhooks');
          return list.data[0].failing_since !== null;
        });
        await page.reload();
        await page.getByText('Nothing delivered since').waitFor();
        for (const look of [{ ...dark, ...narrow, ...french }, dark]) {
          const other = await open({ ...look, at: '/settings/webhooks' });
          await other.locator('[data-webhook]').waitFor();
          await tidy(other, `webhooks that fail ${look.colorScheme}`);
          await shot(other, `webhooks-fail-${look.locale ?? 'wide'}`);
          await doTo(other.locator('[data-webhook]'), /^(Deliveries|Envois)$/);
          await other.locator('[data-delivery]').first().waitFor();
          await tidy(other, 'deliveries that fail');
          await other.context().close();
        }
        there.answers(410);
        await doTo(mine, 'Turn off');
        await doTo(mine, 'Turn on');
        // The backlog is sent at once, and delivery fails.
        await until('it is gone', async () => (await call('GET', '/v1/webhooks')).data[0].disabled_reason === 'gone');
        await page.reload();
        await page
          .getByText(/answered 410 \(gone\)/)
          .first()
          .waitFor();
        await doTo(mine, 'Delete');
        await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
        await page.getByText('No webhooks yet.').waitFor();
      } finally {
        there.close();
      }
    },
  },
];
