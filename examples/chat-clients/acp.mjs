// The official client of the Agent Client Protocol, as in an editor: it starts `fermata acp`, which
// reads the server's URL and the key from its environment.
import * as acp from '@agentclientprotocol/sdk';
import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';

const agent = spawn(process.env.FERMATA ?? 'fermata', ['acp'], { stdio: ['pipe', 'pipe', 'inherit'] });
const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));

// What an editor displays, and its user's answers.
const updates = [];
const asked = [];
const client = acp.client({ name: 'an editor' })
  .onNotification(acp.methods.client.session.update, ({ params }) => { updates.push(params.update); })
  .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
    asked.push({ title: params.toolCall.title, text: params.toolCall.content[0].content.text, options: params.options });
    const wanted = params.options.find((o) => ['Approve', 'red'].includes(o.name)) ?? params.options.at(-1);
    return { outcome: { outcome: 'selected', optionId: wanted.optionId } };
  })
  .onRequest(acp.methods.client.elicitation.create, ({ params }) => {
    asked.push({ title: 'a form', text: params.message, schema: params.requestedSchema });
    return { action: 'accept', content: { value: 'In the shade.' } };
  });

const said = (kind) => updates.filter((u) => u.sessionUpdate === kind).map((u) => u.content.text).join('');

const result = await client.connectWith(stream, async (a) => {
  const hello = await a.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: { elicitation: { form: {} } },
  });
  const place = { cwd: process.cwd(), mcpServers: [] };
  const { sessionId, configOptions } = await a.request(acp.methods.agent.session.new, place);
  const prompt = async (text) => {
    updates.length = 0;
    const end = await a.request(acp.methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
    return {
      text: said('agent_message_chunk'), thoughts: said('agent_thought_chunk'), stop: end.stopReason, usage: end._meta.fermata.usage,
      kinds: updates.map((u) => u.sessionUpdate), calls: updates.filter((u) => u.toolCallId).map((u) => `${u.title ?? ''} ${u.status ?? ''}`),
    };
  };
  const first = await prompt('First question');
  const made = await prompt('make it');
  const answered = await prompt('ask me');
  const formed = await prompt('where');

  const { sessions } = await a.request(acp.methods.agent.session.list, {});
  const options = (await a.request(acp.methods.agent.session.setConfigOption, {
    sessionId, configId: configOptions[0].id, value: configOptions[0].options[1].value,
  })).configOptions;
  await a.request(acp.methods.agent.session.close, { sessionId });

  // The history is stored on the server: opening the session replays it.
  updates.length = 0;
  await a.request(acp.methods.agent.session.load, { sessionId, ...place });
  const replayed = updates.map((u) => `${u.sessionUpdate} ${u.content?.text ?? u.title ?? ''}`);
  return { hello, first, made, answered, formed, asked, sessions, configOptions, options, replayed };
});
agent.kill();
console.log(JSON.stringify(result));
