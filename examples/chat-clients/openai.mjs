// The official OpenAI client. Two settings make its sessions durable: the base URL and the key.
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: process.env.OPENAI_API_KEY });

const models = [];
for await (const model of client.models.list()) models.push(model.id);

const messages = [{ role: 'user', content: 'First question' }];
const first = await client.chat.completions.create({ model: 'fermata', messages });
messages.push(first.choices[0].message, { role: 'user', content: 'Second question' });

// The whole history is sent, as usual: it is recognised, and the session continues.
const stream = await client.chat.completions.create({
  model: 'fermata', messages, stream: true, stream_options: { include_usage: true },
});
let text = '', role, finish, usage, extra, chunks = 0;
for await (const chunk of stream) {
  chunks++;
  const [choice] = chunk.choices;
  role ??= choice?.delta.role;
  text += choice?.delta.content ?? '';
  finish ??= choice?.finish_reason;
  usage ??= chunk.usage;
  extra ??= chunk.fermata;
}
console.log(JSON.stringify({
  models, first: first.choices[0].message.content, finish: first.choices[0].finish_reason, session: first.fermata.session_id,
  usage: first.usage, second: { role, text, finish, usage, chunks, session: extra?.session_id },
}));
