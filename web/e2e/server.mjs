import { spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { api, until } from './harness.mjs';

// freePort searches below the range of ephemeral ports, so that a port stays free while its server is down.
export async function freePort() {
  for (;;) {
    const port = 20000 + Math.floor(Math.random() * 12000);
    const free = await new Promise((done) => {
      const probe = net
        .createServer()
        .once('error', () => done(false))
        .once('listening', () => probe.close(() => done(true)));
      probe.listen(port, '127.0.0.1');
    });
    if (free) return port;
  }
}

// server starts a server with its own data folder, which stop deletes.
export async function server({ bin = process.env.FERMATA_BIN, env = {}, key } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'fermata-e2e-'));
  const base = `http://127.0.0.1:${await freePort()}`;
  const settings = typeof env === 'function' ? await env(base) : env;
  const log = createWriteStream(join(dir, 'log'));
  let child;
  const { FERMATA_BIN: _, ...rest } = process.env; // not a setting of the server: it would report it
  const start = async () => {
    child = spawn(bin, ['serve'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...rest,
        FERMATA_LISTEN: base.slice(7),
        FERMATA_DATA_DIR: join(dir, 'data'),
        FERMATA_LOG_LEVEL: 'warn',
        FERMATA_SCRIPT_PROVIDER: 'true',
        FERMATA_LEASE_TTL: '3s',
        FERMATA_ALLOWED_HOSTS: '127.0.0.1',
        ...settings,
      },
    });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    await until(
      `the server at ${base} is ready (its log: ${dir}/log)`,
      async () => {
        if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: ${dir}/log`);
        return (await fetch(`${base}/readyz`).catch(() => null))?.ok;
      },
      30000,
    );
  };
  const kill = () =>
    new Promise((done) => {
      if (child.exitCode !== null || child.signalCode !== null) return done();
      child.once('exit', done);
      child.kill('SIGKILL');
    });
  await start();
  return {
    base,
    dir,
    log: join(dir, 'log'),
    call: api(base, key ? { Authorization: `Bearer ${key}` } : {}),
    /** Kills it with SIGKILL. */
    kill,
    /** Starts it again, on the same port with the same data. */
    start,
    async restart() {
      await kill();
      await start();
    },
    async stop() {
      await kill();
      rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
