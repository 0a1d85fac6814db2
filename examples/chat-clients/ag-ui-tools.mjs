// The official AG-UI client with a client tool: the session's AI calls it, the front end runs
// it, and the next run continues with its result.
import { HttpAgent } from '@ag-ui/client';

const agent = new HttpAgent({
  url: process.env.FERMATA_URL + '/v1/agui', threadId: 'a talk with tools',
  headers: { Authorization: `Bearer ${process.env.FERMATA_KEY}` },
});
const tools = [{
  name: 'get_weather', description: 'The weather in a city, now.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}];

const ran = [];
const outcomes = [];
const run = async () => {
  const events = [];
  await agent.runAgent({ tools }, {
    onEvent: ({ event }) => { events.push(event.type); },
    onRunFinishedEvent: ({ event }) => { outcomes.push(event.outcome); },
  });
  return events;
};

// A run that ends with pending calls of client tools is followed by one with their results.
const say = async (text) => {
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: text });
  const first = await run();
  const answered = new Set(agent.messages.map((m) => m.toolCallId));
  const calls = agent.messages.flatMap((m) => m.toolCalls ?? []).filter((c) => !answered.has(c.id));
  for (const call of calls) {
    const { city } = JSON.parse(call.function.arguments);
    ran.push(`${call.function.name} ${city}`);
    agent.addMessage({ id: crypto.randomUUID(), role: 'tool', toolCallId: call.id, content: `${city}: sunny${city === 'Paris' ? ', 20' : ''}` });
  }
  return { first, then: calls.length > 0 ? await run() : [] };
};

const one = await say('What is the weather in Paris?');
const two = await say('Compare Bern and Rome');
const three = await say('Thank you');
// A repeated run is streamed again, and no tool is called a second time.
const again = await run();

console.log(JSON.stringify({
  one, two, three, again, ran, outcomes: outcomes.map((o) => [o.type, (o.pendingToolCallIds ?? []).length]),
  messages: agent.messages.map((m) => `${m.role} ${m.content ?? ''}${(m.toolCalls ?? []).map((c) => c.function.name).join(' ')}`.trim()),
}));
