// The official OpenAI client, with responses and a client tool: the session's AI calls it, the
// program runs it, and the next response continues with its result.
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: process.env.OPENAI_API_KEY });
const tools = [{
  type: 'function', name: 'get_weather', description: 'The weather in a city, now.', strict: false,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}];
const resultsOf = (response) => response.output.filter((item) => item.type === 'function_call')
  .map((call) => ({ type: 'function_call_output', call_id: call.call_id, output: `${JSON.parse(call.arguments).city}: sunny` }));

// Manually.
const asked = await client.responses.create({ model: 'fermata', input: 'What is the weather in Paris?', tools, metadata: { part: 'question' } });
const [call] = asked.output;
const answered = await client.responses.create({
  model: 'fermata', previous_response_id: asked.id, tools, metadata: { part: 'results' },
  input: [{ type: 'function_call_output', call_id: call.call_id, output: 'sunny, 20 degrees' }],
});

// Streamed, assembled by OpenAI's helper.
const helper = client.responses.stream({ model: 'fermata', previous_response_id: answered.id, input: 'Compare Bern and Rome', tools });
const events = [];
helper.on('event', (event) => { events.push(event.type); });
const compared = await helper.finalResponse();
const both = await client.responses.create({ model: 'fermata', previous_response_id: compared.id, input: resultsOf(compared), tools, stream: true });
let text = '';
for await (const event of both) if (event.type === 'response.output_text.delta') text += event.delta;

// In the background: the calls are read later, and so is the continuation.
const until = async (response) => {
  while (response.status === 'queued' || response.status === 'in_progress') {
    await new Promise((soon) => { setTimeout(soon, 20); });
    response = await client.responses.retrieve(response.id);
  }
  return response;
};
const later = await until(await client.responses.create({ model: 'fermata', conversation: asked.conversation.id, input: 'Compare again', tools, background: true }));
const after = await until(await client.responses.create({
  model: 'fermata', previous_response_id: later.id, input: resultsOf(later), tools, background: true,
}));

// The calls and their results can be read later.
const read = await client.responses.retrieve(asked.id);
const readAfter = await client.responses.retrieve(answered.id);
const brought = [];
for await (const item of client.responses.inputItems.list(answered.id)) brought.push(`${item.type} ${item.call_id === call.call_id} ${item.output}`);

console.log(JSON.stringify({
  call: { type: call.type, status: call.status, name: call.name, arguments: call.arguments }, status: asked.status, said: asked.output_text,
  tools: asked.tools.map((t) => t.name), answered: answered.output_text, previous: answered.previous_response_id === asked.id,
  compared: compared.output.map((item) => item.arguments ?? item.content[0].text), events: [...new Set(events)], text,
  later: later.output.map((item) => item.type), after: after.output_text, afterStatus: after.status,
  read: read.output.map((item) => item.type), readStatus: read.status, readAfter: readAfter.output_text,
  metadata: [read.metadata.part, readAfter.metadata.part], brought,
  sessions: [...new Set([asked, answered, compared, later, after].map((r) => r.conversation.id))],
}));
