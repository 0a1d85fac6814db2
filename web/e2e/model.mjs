// A model for the steps: an OpenAI-compatible server with scripted answers. `answer(request)` returns a text, or {
// text, rate, cut, calls }: tokens a second (0: at once), the number of tokens after which the connection breaks,
// and tool calls.
import http from 'node:http';

export class Model {
  constructor(answer) {
    this.answer = answer;
    this.asked = []; // every request
    this.server = http.createServer((request, response) => {
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => void this.reply(request, response, body));
    });
  }

  async open() {
    await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${this.server.address().port}/v1`;
    return this;
  }

  /** Makes it the default provider of the given server. */
  serve(call, more = {}) {
    return call('POST', '/v1/providers', {
      name: 'Model of the test',
      kind: 'openai_compatible',
      is_default: true,
      config: { base_url: this.url, api_key: 'none', model: 'test-1', ...more },
    });
  }

  async reply(request, response, body) {
    if (request.method !== 'POST')
      return response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ object: 'list', data: [{ id: 'test-1', object: 'model' }] }));
    const asked = JSON.parse(body);
    this.asked.push(asked);
    const said = await this.answer(asked);
    const { text = '', rate = 0, cut = Infinity, calls = [] } = typeof said === 'string' ? { text: said } : said;
    const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
    const tools = calls.map((c, i) => ({
      index: i,
      id: `call_${Date.now()}_${i}`,
      type: 'function',
      function: { name: c.name, arguments: JSON.stringify(c.params) },
    }));
    if (!asked.stream) {
      if (rate)
        await new Promise((done) => {
          const timer = setTimeout(done, (text.split(' ').length * 1000) / rate);
          response.on('close', () => {
            clearTimeout(timer);
            done();
          });
        });
      const message = { role: 'assistant', content: text, ...(tools.length ? { tool_calls: tools } : {}) };
      return response.writeHead(200, { 'Content-Type': 'application/json' }).end(
        JSON.stringify({
          id: 'x',
          object: 'chat.completion',
          created: 1,
          model: 'test-1',
          choices: [{ index: 0, message, finish_reason: 'stop' }],
          usage,
        }),
      );
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const send = (delta, finish = null) =>
      response.write(
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'test-1', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
      );
    send({ role: 'assistant', content: '' });
    let gone = false;
    response.on('close', () => {
      gone = true;
    });
    const begun = Date.now();
    const tokens = rate ? (text.match(/\s*\S+\s*|\s+/g) ?? []) : [text];
    for (let i = 0; i < tokens.length && !gone; i++) {
      if (i >= cut) return response.destroy();
      send({ content: tokens[i] });
      if (!rate) continue;
      const ahead = begun + ((i + 1) * 1000) / rate - Date.now();
      if (ahead > 1)
        await new Promise((done) => {
          setTimeout(done, ahead);
        });
    }
    if (gone) return;
    if (tools.length) send({ tool_calls: tools });
    send({}, tools.length ? 'tool_calls' : 'stop');
    response.write(
      `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'test-1', choices: [], usage })}\n\ndata: [DONE]\n\n`,
    );
    response.end();
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}
