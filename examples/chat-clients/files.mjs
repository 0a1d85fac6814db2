// Pictures and files with third-party clients: OpenAI's (chat completions and responses), the AI SDK's chat, and
// AG-UI's. Each sends them within its message, as usual.
import { HttpAgent } from '@ag-ui/client';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { DefaultChatTransport, convertToModelMessages, generateText } from 'ai';
import OpenAI from 'openai';

const base = process.env.OPENAI_BASE_URL;
const key = process.env.OPENAI_API_KEY;
const png = process.env.PICTURE; // in base64
const picture = `data:image/png;base64,${png}`;
const list = Buffer.from('milk;3\n').toString('base64');
const client = new OpenAI({ baseURL: base, apiKey: key });
const out = {};

const messages = [{ role: 'user', content: [
  { type: 'text', text: 'completions' }, { type: 'image_url', image_url: { url: picture, detail: 'low' } },
  { type: 'file', file: { filename: 'list.csv', file_data: list } },
] }];
const first = await client.chat.completions.create({ model: 'fermata', messages });
const second = await client.chat.completions.create({
  model: 'fermata', messages: [...messages, first.choices[0].message, { role: 'user', content: 'And now?' }],
});
out.completions = [first, second].map((c) => [c.choices[0].message.content, c.fermata.session_id, c.fermata.new_session]);
out.refused = await client.chat.completions.create({
  model: 'fermata', messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] }],
}).catch((e) => [e.status, e.code, e.param]);

const response = await client.responses.create({ model: 'fermata', input: [{ role: 'user', content: [
  { type: 'input_text', text: 'responses' }, { type: 'input_image', image_url: picture, detail: 'auto' },
  { type: 'input_file', filename: 'list.csv', file_data: `data:text/csv;base64,${list}` },
] }] });
const next = await client.responses.create({ model: 'fermata', previous_response_id: response.id, input: [{ role: 'user', content: [
  { type: 'input_image', image_url: picture, detail: 'auto' },
] }] });
const items = await client.responses.inputItems.list(response.id);
out.responses = [response.output_text, next.output_text, items.data[0].content.map((c) => c.type)];

// UI messages of the AI SDK, converted to model messages.
const ui = [{ id: 'u1', role: 'user', parts: [
  { type: 'text', text: 'ai-sdk' }, { type: 'file', mediaType: 'image/png', filename: 'pattern.png', url: picture },
] }];
const provider = createOpenAICompatible({ name: 'fermata', baseURL: base, apiKey: key });
out.sdk = (await generateText({ model: provider('fermata'), messages: await convertToModelMessages(ui) })).text;

// What useChat sends, with its own transport.
const transport = new DefaultChatTransport({ api: base.replace(/\/v1$/, '') + '/v1/ui/chat', headers: { Authorization: `Bearer ${key}` } });
out.ui = '';
const stream = await transport.sendMessages({
  trigger: 'submit-message', chatId: 'a chat', messages: [{ id: 'u2', role: 'user', parts: [
    { type: 'text', text: 'ui-chat' }, { type: 'file', mediaType: 'image/png', filename: 'pattern.png', url: picture },
  ] }],
});
for await (const part of stream) if (part.type === 'text-delta') out.ui += part.delta;

const agent = new HttpAgent({
  url: base.replace(/\/v1$/, '') + '/v1/agui', threadId: 'a talk', headers: { Authorization: `Bearer ${key}` },
});
agent.addMessage({ id: 'a1', role: 'user', content: [
  { type: 'text', text: 'ag-ui' }, { type: 'image', source: { type: 'data', value: png, mimeType: 'image/png' } },
] });
await agent.runAgent();
out.agui = agent.messages.at(-1).content;

console.log(JSON.stringify(out));
