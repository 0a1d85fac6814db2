import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Throttle } from './throttle';
import { isStale, staleAfter } from './stale';
import { stored, type StreamEvent } from './types';

const event = (name: string, data: unknown) => ({ name, seq: 1, data }) as StreamEvent;
const read = (path: string, params: Record<string, string> = {}) => ['get', path, { params: { path: params } }];

test('an event makes the reads that show it stale, and none of other sessions', () => {
  const olds = staleAfter(event('session.status', { session_seq: 1, session: { id: 'ses_1', automation_id: null } }));
  expect(isStale(read('/v1/sessions'), olds)).toBe(true);
  expect(isStale(read('/v1/slot'), olds)).toBe(true);
  expect(isStale(read('/v1/sessions/{session_id}', { session_id: 'ses_1' }), olds)).toBe(true);
  expect(isStale(read('/v1/sessions/{session_id}/timeline', { session_id: 'ses_1' }), olds)).toBe(true);
  expect(isStale(read('/v1/sessions/{session_id}', { session_id: 'ses_2' }), olds)).toBe(false);
  expect(isStale(read('/v1/automations'), olds)).toBe(false);
  expect(isStale(['screen of its own'], olds)).toBe(false);
});

test('a run makes the lists of runs and its automation stale, a missed occurrence those of occurrences', () => {
  const run = staleAfter(event('session.ended', { session_seq: 1, session: { id: 'ses_1', automation_id: 'aut_1' } }));
  expect(isStale(read('/v1/runs'), run)).toBe(true);
  expect(isStale(read('/v1/automations/{automation_id}/executions', { automation_id: 'aut_1' }), run)).toBe(true);
  expect(isStale(read('/v1/occurrences'), run)).toBe(false);
  expect(isStale(read('/v1/occurrences'), staleAfter(event('occurrence.recorded', {})))).toBe(true);
});

test('entries make only the reads of their tool stale', () => {
  const olds = staleAfter(
    event('data.changed', { noun: 'entry', id: 'ent_1', operation: 'created', tool_id: 'tol_1' }),
  );
  expect(isStale(read('/v1/tools/{tool_id}/entries/stats', { tool_id: 'tol_1' }), olds)).toBe(true);
  expect(isStale(read('/v1/tools/{tool_id}/entries', { tool_id: 'tol_2' }), olds)).toBe(false);
  expect(isStale(read('/v1/zones'), olds)).toBe(false);
});

test('an unknown kind makes everything stale; unexpected data nothing, and never throws', () => {
  expect(
    isStale(
      read('/v1/automations'),
      staleAfter(event('data.changed', { noun: 'moon', id: 'x', operation: 'created' })),
    ),
  ).toBe(true);
  for (const name of stored)
    for (const data of [null, {}, 'text']) expect(() => staleAfter(event(name, data))).not.toThrow();
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a burst causes few reads, and the last event is included', async () => {
  const rounds: number[] = [];
  const throttle = new Throttle(async () => {
    rounds.push(Date.now());
  });
  const begun = Date.now();
  for (let i = 0; i < 300; i++) {
    // an event every 10 ms for 3 s
    throttle.request();
    await vi.advanceTimersByTimeAsync(10);
  }
  const last = Date.now() - 10;
  await vi.advanceTimersByTimeAsync(5000);
  expect(rounds[0]! - begun).toBe(120);
  expect(rounds.length).toBeLessThanOrEqual(5);
  expect(rounds.at(-1)!).toBeGreaterThanOrEqual(last);
});

test('a slow run is not restarted before it has ended; a failed one stops nothing', async () => {
  let rounds = 0;
  const throttle = new Throttle(async () => {
    rounds++;
    if (rounds === 2) throw new Error('no');
    await new Promise((done) => {
      setTimeout(done, 3000);
    });
  });
  throttle.request();
  await vi.advanceTimersByTimeAsync(500);
  throttle.request();
  await vi.advanceTimersByTimeAsync(2500);
  expect(rounds).toBe(1);
  await vi.advanceTimersByTimeAsync(2000);
  expect(rounds).toBe(2);
  throttle.request();
  await vi.advanceTimersByTimeAsync(2000);
  expect(rounds).toBe(3);
});
