// The AI SDK with its provider for compatible servers. A header names the session.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText } from 'ai';

const fermata = createOpenAICompatible({
  name: 'fermata', baseURL: process.env.OPENAI_BASE_URL, apiKey: process.env.OPENAI_API_KEY, includeUsage: true,
  headers: { 'X-Fermata-Session': 'ai-sdk' },
});
const model = fermata('fermata');

const messages = [{ role: 'user', content: 'First question' }];
const first = await generateText({ model, messages });
messages.push({ role: 'assistant', content: first.text }, { role: 'user', content: 'Second question' });

const stream = streamText({ model, messages });
let text = '', chunks = 0;
for await (const piece of stream.textStream) { text += piece; chunks++; }
const usageOf = (u) => ({ prompt_tokens: u.inputTokens, completion_tokens: u.outputTokens, total_tokens: u.totalTokens });
console.log(JSON.stringify({
  first: first.text, finish: first.finishReason, session: first.response.headers['x-fermata-session'], usage: usageOf(first.usage),
  second: {
    role: 'assistant', text, chunks, finish: await stream.finishReason, usage: usageOf(await stream.usage),
    session: (await stream.response).headers['x-fermata-session'],
  },
}));
