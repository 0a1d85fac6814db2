// External servers for the steps: an API with its OpenAPI document, an MCP server, and one with long-running tasks
// and callbacks.
import { createHmac } from 'node:crypto';
import http from 'node:http';

// listen starts a server at a free local port; its handler receives the body as text.
async function listen(handle) {
  const server = http.createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => void handle(request, response, Buffer.concat(parts).toString()));
  });
  await new Promise((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const say = (response, status, body) => {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
};

const text = { type: 'string' };
const document = (url) => ({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: `${url}/v1` }],
  paths: {
    '/items/{id}': {
      get: {
        operationId: 'getItem',
        summary: 'An item and its stock.',
        parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
        responses: { 200: { description: 'The item.' } },
      },
    },
    '/orders': {
      post: {
        operationId: 'createOrder',
        summary: 'Orders an item.',
        requestBody: {
          content: {
            'application/json': { schema: { type: 'object', properties: { item: text }, required: ['item'] } },
          },
        },
        responses: { 201: { description: 'Ordered.' } },
      },
    },
  },
});

/** A shop with an API. `orders` sets how changes respond: normally, by breaking the connection (`cut`), or never
 * (`hang`). */
export async function shop() {
  const made = { asked: [], orders: 'ok', down: false };
  const { url, close } = await listen((request, response, body) => {
    if (request.url === '/openapi.json') return say(response, 200, document(url));
    made.asked.push({ method: request.method, path: request.url, headers: request.headers, body });
    if (made.down) return response.destroy();
    if (request.method === 'POST' && made.orders === 'cut') return response.destroy();
    if (request.method === 'POST' && made.orders === 'hang') return undefined;
    if (request.method === 'POST') return say(response, 201, { ordered: JSON.parse(body || '{}') });
    return say(response, 200, { id: 'tea', stock: 42 });
  });
  return Object.assign(made, { url, close });
}

/** An MCP server with the tools in `mcp.tools`. */
export async function mcp() {
  const made = { tools: [], refused: false };
  const answers = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion: protocolVersion > '2025-11-25' ? '2025-11-25' : protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'other', version: '1' },
    }),
    ping: () => ({}),
    'tools/list': () => ({ tools: made.tools }),
    'tools/call': ({ name }) => ({ content: [{ type: 'text', text: `${name} was called` }] }),
  };
  const { url, close } = await listen((request, response, body) => {
    if (made.refused) return say(response, 401, { error: 'sign in' });
    if (request.method !== 'POST') return response.writeHead(405).end();
    const { id, method, params = {} } = JSON.parse(body);
    if (id === undefined) return response.writeHead(202).end();
    const answer = answers[method];
    return say(
      response,
      200,
      answer
        ? { jsonrpc: '2.0', id, result: answer(params) }
        : { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } },
    );
  });
  return Object.assign(made, { url, close });
}

/** An MCP server with a sign-in, on a page with one link. */
export async function guarded() {
  const { url, close } = await listen((request, response, body) => {
    const at = new URL(request.url, `http://${request.headers.host}`);
    const self = at.origin;
    if (at.pathname.startsWith('/.well-known/oauth-protected-resource')) {
      return say(response, 200, { resource: `${self}/mcp`, authorization_servers: [self] });
    }
    if (at.pathname.startsWith('/.well-known/oauth-authorization-server')) {
      return say(response, 200, {
        issuer: self,
        authorization_endpoint: `${self}/authorize`,
        token_endpoint: `${self}/token`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      });
    }
    if (at.pathname === '/authorize') {
      const back = `${at.searchParams.get('redirect_uri')}?code=c&state=${at.searchParams.get('state')}`;
      response.writeHead(200, { 'Content-Type': 'text/html' });
      return response.end(`<title>Vault</title><a href="${back.replaceAll('&', '&amp;')}">Agree</a>`);
    }
    if (at.pathname === '/token') {
      return say(response, 200, { access_token: 'a', token_type: 'Bearer', expires_in: 3600 });
    }
    if (request.headers.authorization !== 'Bearer a') return say(response, 401, { error: 'sign in' });
    if (request.method !== 'POST') return response.writeHead(405).end();
    const { id, method } = JSON.parse(body);
    if (id === undefined) return response.writeHead(202).end();
    const answers = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'vault', version: '1' },
      },
      'tools/list': { tools: [{ name: 'open', description: 'Opens it.', inputSchema: { type: 'object' } }] },
    };
    const result = answers[method];
    return say(response, 200, {
      jsonrpc: '2.0',
      id,
      ...(result ? { result } : { error: { code: -32601, message: 'no such method' } }),
    });
  });
  return { url, close };
}

/** A service that accepts orders. `worker.report(order, …)` calls back, signed with the secret. */
export async function worker(secret) {
  const made = { orders: [], cancelled: [] };
  const { url, close } = await listen((request, response, body) => {
    (request.url === '/cancel' ? made.cancelled : made.orders).push(JSON.parse(body));
    response.writeHead(202).end();
  });
  let reports = 0;
  const report = async (order, report) => {
    const id = `report-${++reports}`;
    const at = Math.floor(Date.now() / 1000);
    const body = JSON.stringify(report);
    const key = Buffer.from(made.secret.replace('whsec_', ''), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
    const answer = await fetch(order.callback_url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(at),
        'webhook-signature': `v1,${signature}`,
      },
      body,
    });
    return answer.status;
  };
  return Object.assign(made, { url, close, report, secret });
}
