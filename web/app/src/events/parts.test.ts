import { describe, expect, test } from 'vitest';
import { Backoff } from './backoff';
import { Cursor } from './cursor';
import { silence, Union } from './union';
import { channelName, type StreamState } from './wire';

const streamState = (more: Partial<StreamState>): StreamState => ({
  gen: 'g',
  cursor: 10,
  since: {},
  join: 'j',
  connection: 'open',
  lostFor: 0,
  refused: false,
  ...more,
});

describe('the cursor', () => {
  test('takes each number once, and sees what it missed', () => {
    const cursor = new Cursor();
    expect(cursor.classify('g', 10, 11)).toBe('gap'); // it has not begun
    expect(cursor.compare(streamState({}), [])).toEqual({ restarted: true, behind: false, fresh: [] });
    expect(cursor.classify('g', 10, 12)).toBe('next'); // numbers that are not for us are left out
    expect(cursor.classify('g', 10, 12)).toBe('old');
    expect(cursor.classify('g', 15, 16)).toBe('gap');
    expect(cursor.classify('other', 12, 13)).toBe('gap');
    expect(cursor.classify('g', 9, 11)).toBe('old'); // sent again for another tab
    expect(cursor.classify('g', 12, 16)).toBe('next');
    expect(cursor.compare(streamState({ cursor: 20 }), [])).toEqual({ restarted: false, behind: true, fresh: [] });
    expect(cursor.at).toBe(16);
    expect(cursor.compare(streamState({ cursor: 5000 }), [])).toMatchObject({ restarted: true, behind: false });
    expect(cursor.compare(streamState({ gen: 'h', cursor: 3 }), [])).toMatchObject({ restarted: true, behind: false });
  });

  test('a session that was not followed for a while is to be read again', () => {
    const cursor = new Cursor();
    cursor.compare(streamState({}), []);
    expect(cursor.compare(streamState({ since: { a: 10 } }), ['a']).fresh).toEqual(['a']);
    expect(cursor.compare(streamState({ since: { a: 10 } }), ['a']).fresh).toEqual([]);
    expect(cursor.compare(streamState({ since: { a: 20 } }), ['a']).fresh).toEqual(['a']);
    cursor.compare(streamState({ since: {} }), ['a']);
    expect(cursor.compare(streamState({ since: { a: 20 } }), ['a']).fresh).toEqual(['a']);
    cursor.adopt('b', 20);
    expect(cursor.compare(streamState({ since: { a: 20, b: 20 } }), ['a', 'b']).fresh).toEqual([]);
  });
});

test('the union drops closed tabs, and silent ones', () => {
  const union = new Union();
  union.note('one', ['a', 'b'], 0);
  union.note('two', ['b', 'c'], 1000);
  expect(union.sessions(1000).toSorted()).toEqual(['a', 'b', 'c']);
  union.drop('one');
  expect(union.sessions(1000).toSorted()).toEqual(['b', 'c']);
  union.note('two', [], 2000);
  expect(union.sessions(2000)).toEqual([]);
  union.note('one', ['a'], 2000);
  expect(union.sessions(silence + 2001)).toEqual([]);
  expect(union.size).toBe(0);
});

test('attempts grow rarer, up to a bound, and wait as long as the server asks', () => {
  const backoff = new Backoff(() => 1);
  expect([1, 2, 3, 4, 5, 6, 7, 8].map(() => backoff.next())).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  expect(backoff.next(30_000)).toBeGreaterThanOrEqual(30_000);
  backoff.reset();
  expect(backoff.next()).toBe(200);
  expect(new Backoff(() => 0).next()).toBe(100);
});

test('tabs meet by their key, and do not show it', () => {
  expect(channelName('fmt_a')).toBe(channelName('fmt_a'));
  expect(channelName('fmt_a')).not.toBe(channelName('fmt_b'));
  expect(channelName(null)).not.toBe(channelName('fmt_a'));
  expect(channelName('fmt_secret')).not.toContain('secret');
});
