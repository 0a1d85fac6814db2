import { expect, test } from 'vitest';
import { Live, length } from './live';
import type { StreamEvent } from './types';

const delta = (offset: number, text: string, message_id = 'msg_1'): StreamEvent => ({
  name: 'message.delta',
  seq: 0,
  data: { session_id: 'ses_1', message_id, kind: 'text', offset, text },
});
const snapshot = (text: string): StreamEvent => ({
  name: 'message.snapshot',
  seq: 0,
  data: { session_id: 'ses_1', message_id: 'msg_1', kind: 'text', offset: length(text), text },
});
const whole = (live: Live) => live.snapshots(['ses_1']).map((event) => (event.data as { text: string }).text);

test('deltas are joined by code points, not UTF-16 units', () => {
  const live = new Live();
  expect(live.take(delta(0, '🌍é'))).toHaveLength(1);
  expect(live.take(delta(2, '!'))).toHaveLength(1);
  expect(whole(live)).toEqual(['🌍é!']);
});

test('repeated text is dropped, the rest of a delta is passed on, one with missing text before it is a gap', () => {
  const live = new Live();
  live.take(delta(0, 'abc'));
  expect(live.take(delta(1, 'b'))).toEqual([]);
  expect(live.take(delta(1, 'bc🌍d'))).toEqual([delta(3, '🌍d')]);
  expect(live.take(delta(9, 'x'))).toBe('gap');
  expect(live.take(delta(3, 'x', 'msg_2'))).toBe('gap');
  expect(whole(live)).toEqual(['abc🌍d']);
  live.take(snapshot('abc🌍defg'));
  expect(live.take(delta(8, '.'))).toHaveLength(1);
  expect(whole(live)).toEqual(['abc🌍defg.']);
});

test('an answer replaced by another one is void', () => {
  const live = new Live();
  live.take(delta(0, 'abc'));
  expect(live.take(delta(0, 'x', 'msg_2'))).toEqual([
    { name: 'message.discarded', seq: 0, data: { session_id: 'ses_1', message_id: 'msg_1', reason: 'lost' } },
    delta(0, 'x', 'msg_2'),
  ]);
});

test('after a new connection an answer shows itself again, or is given up', () => {
  const live = new Live();
  live.take(delta(0, 'abc'));
  live.markUnconfirmed();
  live.take(snapshot('abcd'));
  expect(live.discardUnconfirmed()).toEqual([]);
  live.markUnconfirmed();
  expect(live.discardUnconfirmed().map((event) => event.name)).toEqual(['message.discarded']);
  expect(live.size).toBe(0);
});
