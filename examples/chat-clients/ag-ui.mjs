// The official AG-UI client. Two settings make its sessions durable: the URL and the key.
import { HttpAgent } from '@ag-ui/client';

const agent = new HttpAgent({
  url: process.env.FERMATA_URL + '/v1/agui', threadId: 'a talk',
  headers: { Authorization: `Bearer ${process.env.FERMATA_KEY}` },
});

const run = async (parameters) => {
  const events = [];
  let outcome, code;
  await agent.runAgent(parameters, {
    onEvent: ({ event }) => { events.push(event.type); },
    onRunFinishedEvent: ({ event }) => { outcome = event.outcome; },
    onRunErrorEvent: ({ event }) => { code = event.code; },
  });
  return { events, outcome, code };
};
const say = (text) => {
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: text });
  return run();
};

const first = await say('First question');

// If approval is required, the run ends with an interrupt. The answer resumes it.
const asked = await say('make it');
const [approval] = asked.outcome.interrupts;
const made = await run({ resume: [{ interruptId: approval.id, status: 'resolved', payload: { approved: true } }] });

const questioned = await say('ask me');
const [question] = questioned.outcome.interrupts;
const answered = await run({ resume: [{ interruptId: question.id, status: 'resolved', payload: 'red' }] });

console.log(JSON.stringify({
  first, asked, made, questioned, answered, approval, question, session: agent.state.session,
  messages: agent.messages.map((m) => `${m.role} ${typeof m.content === 'string' ? m.content : ''}`.trim()),
}));
