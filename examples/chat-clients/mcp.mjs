// The official client of the Model Context Protocol. It needs only a URL and a key.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const client = new Client({ name: 'example', version: '1' });
await client.connect(new StreamableHTTPClientTransport(new URL(process.env.FERMATA_URL + '/mcp'), {
  requestInit: { headers: { Authorization: `Bearer ${process.env.FERMATA_KEY}` } },
}));

const { tools } = await client.listTools();
const { resources } = await client.listResources();
const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent;

const first = await call('send_message', { text: 'First question' });
const second = await call('send_message', { session_id: first.session_id, text: 'Second question' });

// If approval is required, the result says so, with a link.
const asked = await call('send_message', { session_id: first.session_id, text: 'make it' });
const { pending } = await call('list_pending', {});
const session = await call('get_session', { session_id: first.session_id, messages: 2 });
await client.close();
console.log(JSON.stringify({
  version: client.getServerVersion().name, tools: tools.map((t) => t.name), resources: resources.map((r) => r.title),
  first, second, asked, pending, status: session.session.status,
}));
