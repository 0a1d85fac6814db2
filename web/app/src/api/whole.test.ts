import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { asProblem, problemOf } from './problem';
import { fetchWhole } from './whole';

const json = { 'Content-Type': 'application/json' };
const answers: (() => Response)[] = [];
let asked = 0;

beforeEach(() => {
  vi.useFakeTimers();
  asked = 0;
  answers.length = 0;
  vi.stubGlobal('fetch', async () => {
    asked++;
    const next = answers.shift();
    if (!next) throw new TypeError('Failed to fetch');
    return next();
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const say = (text: string, init: ResponseInit = { headers: json }) => answers.push(() => new Response(text, init));
const broken = () =>
  answers.push(
    () =>
      new Response(
        new ReadableStream({
          start(body) {
            body.enqueue(new TextEncoder().encode('{"data": ['));
            body.error(new TypeError('network error'));
          },
        }),
        { headers: json },
      ),
  );
async function ask(method = 'GET', headers: Record<string, string> = {}) {
  const answer = fetchWhole(new Request('http://fermata.test/v1/zones', { method, headers })).catch(asProblem);
  await vi.runAllTimersAsync();
  return answer;
}

test('a truncated response is requested again', async () => {
  broken();
  say('{"data": [{"id": "x"');
  say('{"data": []}\n');
  const answer = (await ask()) as Response;
  expect(await answer.json()).toEqual({ data: [] });
  expect(answer.headers.get('Content-Type')).toBe('application/json');
  expect(asked).toBe(3);
});

test('a proxy’s error is retried, and the last one is returned', async () => {
  const proxy = { status: 503, statusText: 'Service Unavailable', headers: { 'Content-Type': 'text/html' } };
  for (let n = 0; n < 3; n++) say('<h1>Service Unavailable</h1>', proxy);
  const problem = await problemOf((await ask()) as Response);
  expect([problem.code, problem.detail, problem.retryable, problem.more.tried]).toEqual([
    'unreachable',
    '',
    true,
    true,
  ]);
  expect(asked).toBe(3);
});

test('an error of the server itself is not retried here', async () => {
  say('{"code": "unavailable", "retryable": true}', {
    status: 503,
    headers: { 'Content-Type': 'application/problem+json' },
  });
  const problem = await problemOf((await ask()) as Response);
  expect([problem.code, problem.more.tried]).toEqual(['unavailable', false]);
  expect(asked).toBe(1);
});

test('a change is sent once, unless it is idempotent', async () => {
  broken();
  say('{}');
  expect(await ask('PATCH')).toMatchObject({ code: 'unreachable', outcome: 'unknown' });
  expect(asked).toBe(1);
  answers.length = 0;
  broken();
  say('{}');
  expect(await ask('POST', { 'Idempotency-Key': 'a' })).toBeInstanceOf(Response);
  expect(asked).toBe(3);
});

test('a response without a body, or without JSON, is unchanged', async () => {
  answers.push(() => new Response(null, { status: 204 }));
  say('a,b\n1,2', { headers: { 'Content-Type': 'text/csv' } });
  expect(((await ask('DELETE')) as Response).status).toBe(204);
  expect(await ((await ask()) as Response).text()).toBe('a,b\n1,2');
});

test('a 204 is accepted although Chromium gives it an empty body', async () => {
  answers.push(() => Object.defineProperty(new Response(''), 'status', { value: 204 }));
  const answer = (await ask('DELETE')) as Response;
  expect([answer.status, answer.body]).toEqual([204, null]);
});
