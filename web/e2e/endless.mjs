import http from 'node:http';

// Endless is a provider whose answers last as long as a test needs: it streams words until finish is called. A slow
// machine sees the same as a fast one.
export class Endless {
  constructor(every) {
    this.every = every; // milliseconds between two words
    this.finished = false;
    this.server = http.createServer((request, response) => void this.answer(request, response));
  }

  /** Starts the provider and makes it the server's default. */
  async open(call) {
    await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
    const base_url = `http://127.0.0.1:${this.server.address().port}/v1`;
    await call('POST', '/v1/providers', {
      name: `Test ${base_url}`,
      kind: 'openai_compatible',
      is_default: true,
      config: { base_url, model: 'endless' },
    });
    return this;
  }

  async answer(request, response) {
    if (request.method !== 'POST') return response.writeHead(404).end();
    request.resume();
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const send = (fields) =>
      response.write(
        `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'endless', ...fields })}\n\n`,
      );
    for (let i = 1; !response.destroyed && (!this.finished || i < 60); i++) {
      const word = i % 25 === 0 ? `\n\n**Part ${i / 25}** ` : i % 7 === 0 ? 'café👍🏽 ' : `word${i} `;
      send({ choices: [{ index: 0, delta: { role: 'assistant', content: word }, finish_reason: null }] });
      await new Promise((done) => setTimeout(done, this.every));
    }
    if (response.destroyed) return;
    send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    send({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 } });
    response.end('data: [DONE]\n\n');
  }

  /** The next answers stream until finish is called again. */
  begin() {
    this.finished = false;
  }

  /** Ends the answers. */
  finish() {
    this.finished = true;
  }

  close() {
    this.server.close();
    this.server.closeAllConnections();
  }
}
