// The official OpenAI client with a client tool: the session's AI calls it, the program
// runs it, and the answer continues. The SDK's helper sends the calls and results as usual.
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: process.env.OPENAI_API_KEY });
const tool = {
  type: 'function',
  function: { name: 'get_weather', description: 'The weather in a city, now.', parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
};

// Manually.
const messages = [{ role: 'user', content: 'What is the weather in Paris?' }];
const asked = await client.chat.completions.create({ model: 'fermata', messages, tools: [tool] });
const [call] = asked.choices[0].message.tool_calls;
messages.push(asked.choices[0].message, { role: 'tool', tool_call_id: call.id, content: 'sunny, 20 degrees' });
const answered = await client.chat.completions.create({ model: 'fermata', messages, tools: [tool] });
messages.push(answered.choices[0].message, { role: 'user', content: 'Thank you' });
const after = await client.chat.completions.create({ model: 'fermata', messages });
messages.push(after.choices[0].message, { role: 'user', content: 'Compare Bern and Rome' });

// With the SDK's helper, streamed: it runs the tools as calls arrive.
const ran = [];
const runner = client.chat.completions.runTools({
  model: 'fermata', messages, stream: true,
  tools: [{ type: 'function', function: { ...tool.function, parse: JSON.parse, function: ({ city }) => { ran.push(city); return `${city}: sunny`; } } }],
});
let text = '';
runner.on('content', (piece) => { text += piece; });
const final = await runner.finalContent();

console.log(JSON.stringify({
  finish: asked.choices[0].finish_reason, content: asked.choices[0].message.content, call: call.function,
  answered: answered.choices[0].message.content, answeredFinish: answered.choices[0].finish_reason,
  after: after.choices[0].message.content, sessions: [asked, answered, after].map((a) => a.fermata.session_id), newSession: after.fermata.new_session,
  ran, final, text,
}));
