import http from 'node:http';

// Line is a proxy between the browser and the server. Its mode: "open"; "cut": every connection breaks; "503": a
// proxy responds instead of the server; "half": the connection breaks in the middle of each API response; "torn": a
// truncated response arrives as if it were complete; "portal": a captive portal responds with its own page.
export class Line {
  constructor(target) {
    this.target = new URL(target);
    this.mode = 'open';
    this.delay = 0; // the delay of each request in milliseconds: to see what a page shows meanwhile
    this.answers = new Map(); // path → JSON returned instead of the server's response
    this.changes = new Map(); // path → a function that edits the server's response; null: 404
    this.missing = new Set(); // API reads, except events, that have not succeeded since
    this.sockets = new Set();
    this.server = http.createServer((request, response) => void this.pass(request, response));
    this.server.on('connection', (socket) => {
      if (this.mode === 'cut') return socket.destroy();
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  async open() {
    await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  async pass(request, response) {
    const { pathname } = new URL(request.url, this.url);
    const read = request.method === 'GET' && /^\/v1\/(?!events)/.test(pathname);
    if (read) {
      this.missing.add(request.url);
      // An aborted request is not missing, unless the proxy aborted it.
      response.on('close', () => {
        if (!response.writableFinished && !request.socket.cut) this.missing.delete(request.url);
      });
    }
    if (this.delay) await new Promise((done) => setTimeout(done, this.delay));
    if (this.mode === 'cut') return response.destroy();
    if (this.mode === '503') return response.writeHead(503, { Connection: 'close' }).end();
    if (read && this.mode === 'portal')
      return response
        .writeHead(200, { 'Content-Type': 'text/html' })
        .end('<!doctype html><title>Network</title><h1>Sign in to the network</h1>');
    if (this.answers.has(pathname))
      return response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify(this.answers.get(pathname)));
    if (this.changes.has(pathname)) return this.change(pathname, response);
    const halves = read && ['half', 'torn'].includes(this.mode);
    const far = http.request(
      {
        host: this.target.hostname,
        port: this.target.port,
        method: request.method,
        path: request.url,
        headers: halves ? { ...request.headers, 'accept-encoding': 'identity' } : request.headers,
        agent: false,
      },
      (answer) => {
        if (halves) return void this.halve(answer, response);
        this.missing.delete(request.url);
        response.writeHead(answer.statusCode, answer.rawHeaders);
        response.flushHeaders();
        answer.pipe(response);
        answer.on('error', () => response.destroy());
        answer.on('close', () => {
          if (!answer.complete) response.destroy();
        });
      },
    );
    far.on('error', () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    response.on('close', () => far.destroy());
    request.pipe(far);
  }

  async halve(answer, response) {
    const torn = this.mode === 'torn';
    const parts = [];
    for await (const part of answer) parts.push(part);
    const whole = Buffer.concat(parts);
    const half = whole.subarray(0, Math.floor(whole.length / 2));
    const { 'transfer-encoding': _, etag: __, ...headers } = answer.headers;
    response.writeHead(answer.statusCode, { ...headers, 'content-length': torn ? half.length : whole.length });
    if (torn) return response.end(half);
    response.socket.cut = true;
    response.write(half, () => response.destroy());
  }

  async change(pathname, response) {
    const got = await fetch(new URL(pathname, this.target));
    const text = this.changes.get(pathname)(await got.text());
    if (text === null) return response.writeHead(404).end();
    const { 'content-encoding': _, 'content-length': __, etag: ___, ...headers } = Object.fromEntries(got.headers);
    return response.writeHead(got.status, headers).end(text);
  }

  set(mode) {
    this.mode = mode;
    for (const socket of this.sockets) {
      socket.cut = true;
      socket.destroy();
    }
  }

  close() {
    this.set('cut');
    this.server.close();
  }
}
