// The official OpenAI client, with responses. Two settings make its sessions durable: the base URL and the key.
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: process.env.OPENAI_API_KEY });

const first = await client.responses.create({ model: 'fermata', input: 'First question', metadata: { from: 'the example' } });

// A stream that is interrupted, and resumed after the last received event.
const begun = await client.responses.create({
  model: 'fermata', input: 'Second question', previous_response_id: first.id, stream: true, background: true,
});
let second, last, pieces = 0, text = '';
const take = (event) => {
  last = event.sequence_number;
  if (event.type === 'response.output_text.delta') { text += event.delta; pieces++; }
  second = event.response ?? second;
};
for await (const event of begun) {
  take(event);
  if (pieces === 2) break;
}
const left = text;
const again = await client.responses.retrieve(second.id, { stream: true, starting_after: last });
for await (const event of again) take(event);

// In the background: the answer can be read later, even if this program ends.
let third = await client.responses.create({ model: 'fermata', input: 'make it', previous_response_id: second.id, background: true });
const status = third.status;
while (third.status === 'queued' || third.status === 'in_progress') {
  await new Promise((soon) => { setTimeout(soon, 20); });
  third = await client.responses.retrieve(third.id);
}

// A request for approval ends the stream; OpenAI's helper assembles it.
const helper = client.responses.stream({ response_id: second.id, model: 'fermata' });
const whole = await helper.finalResponse();
const items = [];
for await (const item of client.responses.inputItems.list(third.id)) items.push(item.content[0].text);
const cancelled = await client.responses.cancel(third.id);

let refused;
try {
  await client.responses.create({ model: 'gpt-5', input: 'x' });
} catch (error) {
  refused = { status: error.status, code: error.code, param: error.param };
}
console.log(JSON.stringify({
  first: first.output_text, metadata: first.metadata, usage: first.usage, session: first.conversation.id,
  left, text, pieces, second: second.status, helper: whole.output_text,
  background: status, third: third.status, reason: third.incomplete_details?.reason, asked: third.output_text, items, refused,
  cancelled: cancelled.status, sessions: [second.conversation.id, third.conversation.id],
}));
