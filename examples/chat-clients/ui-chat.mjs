// The chat of the AI SDK, as in useChat. Two settings make its sessions durable: the URL and the key.
import { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } from 'ai';

const transport = new DefaultChatTransport({
  api: process.env.FERMATA_URL + '/v1/ui/chat',
  headers: { Authorization: `Bearer ${process.env.FERMATA_KEY}` },
});

// The state that a framework keeps for its chat; in React, useChat({ id, transport, sendAutomaticallyWhen }).
class Chat extends AbstractChat {
  constructor(options) {
    const messages = options.messages ?? [];
    super({ ...options, state: {
      status: 'ready', error: undefined, messages,
      pushMessage(m) { this.messages = [...this.messages, m]; },
      popMessage() { this.messages = this.messages.slice(0, -1); },
      replaceMessage(i, m) { this.messages = this.messages.with(i, structuredClone(m)); },
      snapshot: structuredClone,
    } });
  }
}

const finishes = [];
const chat = new Chat({
  id: 'a talk', transport,
  onFinish: ({ finishReason, isError }) => { finishes.push(isError ? 'error' : finishReason); },
  sendAutomaticallyWhen: (chat) =>
    lastAssistantMessageIsCompleteWithApprovalResponses(chat) || lastAssistantMessageIsCompleteWithToolCalls(chat),
});

// The chat sends the answers automatically when all of them are given.
const answered = async (answer) => {
  const before = finishes.length;
  await answer();
  while (finishes.length === before || chat.status !== 'ready') await new Promise((resolve) => setTimeout(resolve, 10));
};
const tools = () => chat.lastMessage.parts.filter((p) => p.type === 'dynamic-tool');
const shape = (m) => `${m.role} ` + m.parts.map((p) => p.text ?? (p.toolName ? `${p.toolName}:${p.state}` : p.type)).join('|');

await chat.sendMessage({ text: 'First question' });
const first = shape(chat.lastMessage);

await chat.sendMessage({ text: 'make both' });
const asked = structuredClone(tools());
await answered(async () => {
  await chat.addToolApprovalResponse({ id: asked[0].approval.id, approved: true });
  await chat.addToolApprovalResponse({ id: asked[1].approval.id, approved: false, reason: 'one is enough' });
});
const made = shape(chat.lastMessage);

await chat.sendMessage({ text: 'ask me' });
const question = structuredClone(tools()[0]);
await answered(() => chat.addToolOutput({ tool: question.toolName, toolCallId: question.toolCallId, output: 'red' }));

// Run the newest message again. The earlier answer stays in the record.
const tried = new Chat({ id: 'a second talk', transport });
await tried.sendMessage({ text: 'Say a number' });
const firstTry = shape(tried.lastMessage);
await tried.regenerate();
const secondTry = shape(tried.lastMessage);

// A reloaded page has the same chat, and receives the round that it does not have.
const page = new Chat({ id: 'a talk', transport, messages: chat.messages.slice(0, -1) });
await page.resumeStream();
const nothing = new Chat({ id: 'nobody has this', transport });
await nothing.resumeStream();

console.log(JSON.stringify({
  first, asked, made, question, finishes, messages: chat.messages.map(shape), resumed: shape(page.lastMessage),
  firstTry, secondTry, tries: tried.messages.length, same: page.lastMessage.id === chat.lastMessage.id, nothing: [nothing.status, nothing.messages.length],
}));
