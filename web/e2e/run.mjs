// The page in a real browser against real servers.
//
//   node run.mjs [--only WORD] [--shots DIR] [--jobs N] [--tries N]     with FERMATA_BIN=path/to/fermata
//
// Each file of steps/ has a server of its own, so that two files can run at once.
import { mkdtempSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { World } from './world.mjs';

const args = process.argv.slice(2);
const option = (name) => {
  const i = args.indexOf(name);
  return i < 0 ? undefined : args[i + 1];
};
const only = option('--only');
const shots = option('--shots');
const jobs = Number(option('--jobs') ?? 2);
// A browser on a busy machine may be slow. A failed file is run again, whole and alone, once the others are done;
// the number of tries is printed.
const tries = Number(option('--tries') ?? 1);
const patience = 90_000; // a longer step has failed, unless it sets `lasts`

const folder = new URL('steps/', import.meta.url);
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.mjs'))
  .map((name) => ({
    name: name.slice(0, -4),
    size: statSync(new URL(name, folder)).size,
    url: new URL(name, folder).href,
  }))
  .sort((a, b) => b.size - a.size); // longest first, so that none is left for the end

let kept;
const begun = Date.now();
const counts = { ok: 0, failed: 0 };
const again = new Set(); // files that failed

function within(ms, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${ms / 1000} s`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function runStep(file, world, { name, run, lasts = patience }, i) {
  const start = Date.now();
  const title = `${file.name}: ${name}`;
  try {
    await within(lasts, run(world));
    world.judge();
    counts.ok++;
    console.log(`ok    ${title} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
  } catch (error) {
    counts.failed++;
    again.add(file);
    kept ??= mkdtempSync(join(tmpdir(), 'fermata-e2e-failed-'));
    const dir = join(kept, `${file.name}-${i + 1}`);
    const place = /steps\/\S+?:\d+/.exec(error.stack)?.[0] ?? '';
    const bad = world.pages.flatMap((page) => page.bad);
    await world.keep(dir);
    console.log(
      `FAIL  ${title} (${((Date.now() - start) / 1000).toFixed(1)} s)\n      ${[error.message, place, ...bad, `kept in ${dir}`].filter(Boolean).join('\n').replaceAll('\n', '\n      ')}`,
    );
  }
  await world.clear();
}

async function runFile(file) {
  const { steps, env } = await import(file.url);
  const wanted = steps.filter(({ name }) => !only || file.name.includes(only) || name.includes(only));
  if (!wanted.length) return;
  const world = await World.make({ env, shots });
  try {
    for (const step of wanted) await runStep(file, world, step, steps.indexOf(step));
  } finally {
    await world.end();
  }
}

async function worker() {
  for (let file = files.shift(); file; file = files.shift()) await runFile(file);
}

await Promise.all(Array.from({ length: jobs }, worker));
for (let n = 2; n <= tries && again.size; n++) {
  const failed = [...again];
  again.clear();
  counts.failed = 0;
  for (const file of failed) {
    console.log(`once more, alone: ${file.name}`);
    await runFile(file);
  }
}
console.log(`${counts.ok} ok, ${counts.failed} failed, in ${((Date.now() - begun) / 1000).toFixed(0)} s`);
if (!counts.ok && !counts.failed) console.log(`there is no step ${only}`);
process.exit(counts.ok && !counts.failed ? 0 : 1);
