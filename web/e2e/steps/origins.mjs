import http from 'node:http';
import { check, same } from '../harness.mjs';

// frontEnd serves an empty page at another origin: a third-party front end for the API.
async function frontEnd() {
  const made = http.createServer((_, response) =>
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>another front end</title>'),
  );
  await new Promise((done) => {
    made.listen(0, '127.0.0.1', done);
  });
  return { origin: `http://127.0.0.1:${made.address().port}`, close: () => made.close() };
}

// visit opens that page. It does what ours must not, so nothing is recorded.
async function visit(world, origin) {
  const page = await world.open({ base: origin });
  page.bad.push = () => 0;
  return page;
}

// converse runs in the browser: it makes changes, reads headers and errors, and receives events.
async function converse({ base, key, ticket }) {
  const who = key ? { Authorization: `Bearer ${key}` } : {};
  const call = (method, path, body, more) =>
    fetch(base + path, {
      method,
      headers: { ...who, 'Content-Type': 'application/json', ...more },
      body: body && JSON.stringify(body),
    });
  const made = await call('POST', '/v1/zones', { name: 'far' }, { 'Idempotency-Key': 'one', 'X-Request-ID': 'far-1' });
  const zone = await made.json();
  const changed = await call(
    'PATCH',
    `/v1/zones/${zone.id}`,
    { name: 'farther' },
    { 'If-Match': made.headers.get('ETag') },
  );
  const stale = await call('PATCH', `/v1/zones/${zone.id}`, { name: 'x' }, { 'If-Match': made.headers.get('ETag') });
  const unknown = await fetch(`${base}/v1/zones`, { headers: { Authorization: 'Bearer unknown' } });
  const address = ticket
    ? `${base}/v1/events/stream?ticket=${(await (await call('POST', '/v1/stream-tickets')).json()).ticket}`
    : `${base}/v1/events/stream`;
  const events = new EventSource(address);
  const received = await new Promise((done) => {
    events.addEventListener('snapshot', () => {
      void call('DELETE', `/v1/zones/${zone.id}`);
    });
    events.addEventListener('data.changed', (e) => done(JSON.parse(e.data).operation));
    events.onerror = () => done(`an error, readyState ${events.readyState}`);
  });
  events.close();
  return {
    made: made.status,
    id: made.headers.get('X-Request-ID'),
    place: made.headers.get('Location') === `/v1/zones/${zone.id}`,
    changed: changed.status,
    stale: (await stale.json()).code,
    unknown: (await unknown.json()).code,
    received,
  };
}

// knock runs the attempts of a page at an origin that is not allowed.
async function knock({ base }) {
  const tried = async (method, headers) => {
    try {
      return (
        await fetch(`${base}/v1/zones`, { method, headers, body: method === 'POST' ? '{"name":"bad"}' : undefined })
      ).status;
    } catch (e) {
      return e.name;
    }
  };
  const events = new EventSource(`${base}/v1/events/stream`);
  const state = await new Promise((done) => {
    events.onerror = () => done(events.readyState);
    events.onmessage = () => done('received');
  });
  return [
    await tried('GET'),
    await tried('POST', { 'Content-Type': 'application/json' }),
    await tried('POST', { 'Content-Type': 'text/plain' }),
    state,
  ];
}

export const steps = [
  {
    name: 'a front end at an allowed origin works, with a key or without sign-in',
    async run(world) {
      const far = await frontEnd();
      try {
        const want = {
          made: 201,
          id: 'far-1',
          place: true,
          changed: 200,
          stale: 'precondition_failed',
          unknown: 'unauthenticated',
          received: 'deleted',
        };
        const key = 'e2e-another-root-key-0123456789-abcdef';
        const locked = await world.freshServer({
          env: { FERMATA_ROOT_KEY: key, FERMATA_ALLOWED_ORIGINS: `https://app.example,${far.origin}` },
          key,
        });
        const open = await world.freshServer({ env: { FERMATA_ALLOWED_ORIGINS: far.origin } });
        const page = await visit(world, far.origin);
        same(await page.evaluate(converse, { base: locked.base, key, ticket: true }), want, 'with a key and a ticket');
        same(await page.evaluate(converse, { base: open.base }), want, 'without any');
      } finally {
        far.close();
      }
    },
  },
  {
    name: 'a page at an origin that is not allowed reads nothing and changes nothing',
    async run(world) {
      const far = await frontEnd();
      try {
        const other = await world.freshServer({ env: { FERMATA_ALLOWED_ORIGINS: 'http://127.0.0.1:1' } });
        const page = await visit(world, far.origin);
        for (const { base, call } of [world.server, other]) {
          const before = await call('GET', '/v1/zones');
          same(await page.evaluate(knock, { base }), ['TypeError', 'TypeError', 'TypeError', 2], `at ${base}`);
          same(await call('GET', '/v1/zones'), before, 'nothing was changed');
        }
        check(page.url().startsWith(far.origin), 'it is another origin');
      } finally {
        far.close();
      }
    },
  },
];
