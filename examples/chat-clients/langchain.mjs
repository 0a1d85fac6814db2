// LangChain's client for OpenAI, with another base URL.
import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({
  model: 'fermata', apiKey: process.env.OPENAI_API_KEY, configuration: { baseURL: process.env.OPENAI_BASE_URL },
});

const messages = [{ role: 'user', content: 'First question' }];
const first = await model.invoke(messages);
messages.push({ role: 'assistant', content: first.text }, { role: 'user', content: 'Second question' });

let second;
for await (const chunk of await model.stream(messages)) second = second ? second.concat(chunk) : chunk;
console.log(JSON.stringify({
  first: first.text, finish: first.response_metadata.finish_reason,
  usage: {
    prompt_tokens: first.usage_metadata.input_tokens, completion_tokens: first.usage_metadata.output_tokens,
    total_tokens: first.usage_metadata.total_tokens,
  },
  second: {
    role: 'assistant', text: second.text, finish: second.response_metadata.finish_reason,
    usage: {
      prompt_tokens: second.usage_metadata.input_tokens, completion_tokens: second.usage_metadata.output_tokens,
      total_tokens: second.usage_metadata.total_tokens,
    },
  },
}));
