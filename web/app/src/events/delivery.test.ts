import { beforeEach, describe, expect, test } from 'vitest';
import { Delivery } from './delivery';
import type { StreamEvent } from './types';
import { Watches } from './watches';
import type { StreamState } from './wire';

const streamState: StreamState = {
  gen: 'g',
  cursor: 10,
  since: {},
  join: 'j',
  connection: 'open',
  lostFor: 0,
  refused: false,
};
const stored = (seq: number) => ({ name: 'slot.changed', seq, data: {} }) as StreamEvent;
const delta = (offset: number, text: string): StreamEvent => ({
  name: 'message.delta',
  seq: 0,
  data: { session_id: 'ses_1', message_id: 'msg_1', kind: 'text', offset, text },
});
const said = (prev: number, event: StreamEvent) =>
  ({ kind: 'event', by: { term: 1, tab: 'a' }, gen: 'g', prev, event }) as const;

test('a session is watched until its last screen closes', () => {
  const watches = new Watches();
  expect([watches.add('ses_1'), watches.add('ses_1'), watches.add('ses_2')]).toEqual([true, false, true]);
  expect(watches.sessions).toEqual(['ses_1', 'ses_2']);
  expect(watches.remove('ses_1')).toBe(false);
  expect(watches.has('ses_1')).toBe(true);
  expect(watches.remove('ses_1')).toBe(true);
  expect(watches.has('ses_1')).toBe(false);
  expect(watches.size).toBe(1);
});

describe('what a tab delivers to its screens', () => {
  let watches: Watches;
  let delivery: Delivery;
  let events: StreamEvent[];
  beforeEach(() => {
    watches = new Watches();
    delivery = new Delivery(watches);
    events = [];
    delivery.listeners.add((event) => events.push(event));
    delivery.compare(streamState);
  });

  test('is each stored event once, and gaps are reported', () => {
    expect(delivery.receive(said(10, stored(11)))).toBe(null);
    expect(delivery.receive(said(10, stored(11)))).toBe(null);
    expect(delivery.receive(said(13, stored(14)))).toBe('events');
    expect(events.map((event) => event.seq)).toEqual([11]);
    expect(delivery.position).toMatchObject({ gen: 'g', at: 11 });
  });

  test('is streamed text of watched sessions only, without a gap', () => {
    expect(delivery.receive(said(10, delta(0, 'one ')))).toBe(null);
    expect(events).toEqual([]);
    watches.add('ses_1');
    expect(delivery.receive(said(10, delta(4, 'two ')))).toBe('text');
    expect(delivery.receive(said(10, delta(0, 'one ')))).toBe(null);
    expect(delivery.receive(said(10, delta(4, 'two ')))).toBe(null);
    expect(events).toEqual([delta(0, 'one '), delta(4, 'two ')]);
    expect(delivery.texts).toBe(1);
    delivery.forget('ses_1');
    expect(delivery.texts).toBe(0);
  });

  test('drops a suspended answer, unless it streams again', () => {
    watches.add('ses_1');
    delivery.pass(delta(0, 'one '));
    delivery.expireTexts();
    delivery.pass(delta(4, 'two '));
    delivery.discardUnconfirmed();
    expect(events.map((event) => event.name)).toEqual(['message.delta', 'message.delta']);
    delivery.expireTexts();
    delivery.discardUnconfirmed();
    expect(events.at(-1)!.name).toBe('message.discarded');
    expect(delivery.texts).toBe(0);
  });

  test('starts over after a reset', () => {
    delivery.receive(said(10, stored(11)));
    delivery.reset();
    expect(delivery.position).toMatchObject({ gen: null, at: 0 });
    expect(delivery.receive(said(11, stored(12)))).toBe('events');
  });
});
