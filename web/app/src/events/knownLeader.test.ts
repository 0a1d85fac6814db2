import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { KnownLeader } from './knownLeader';
import type { StreamState } from './wire';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTime(ms);
const streamState = (more: Partial<StreamState> = {}): StreamState => ({
  gen: 'g',
  cursor: 10,
  since: {},
  join: 'j1',
  connection: 'open',
  lostFor: 0,
  refused: false,
  ...more,
});

describe('a silent leader', () => {
  test.each([
    ['visible', false, 4000],
    ['hidden', true, 20_000],
  ])('is checked after a while, and replaced if it does not answer (%s)', (_, hidden, quiet) => {
    const known = new KnownLeader();
    known.enter();
    pass(quiet);
    expect(known.overdue(hidden)).toBe(null);
    pass(1);
    expect(known.overdue(hidden)).toBe('ask');
    pass(3999);
    expect(known.overdue(hidden)).toBe(null); // it has time to answer
    pass(1);
    expect(known.overdue(hidden)).toBe('replace');
  });

  test('stays when it answers', () => {
    const known = new KnownLeader();
    known.enter();
    pass(5000);
    expect(known.overdue(false)).toBe('ask');
    known.noteLeader({ term: 1, tab: 'a' });
    pass(4000);
    expect(known.overdue(false)).toBe(null);
  });
});

describe('the known leader', () => {
  test('is its identity: a new term of the same tab is not another leader', () => {
    const known = new KnownLeader();
    expect(known.noteLeader({ term: 1, tab: 'a' })).toBe(true);
    expect(known.noteLeader({ term: 2, tab: 'a' })).toBe(false);
    expect(known.by).toEqual({ term: 2, tab: 'a' });
    expect(known.noteLeader({ term: 3, tab: 'b' })).toBe(true);
  });

  test('includes whether its stream was reconnected', () => {
    const known = new KnownLeader();
    expect(known.update(streamState({ gen: null, join: '', connection: 'connecting' }))).toEqual({
      joined: false,
      changed: false,
    });
    expect(known.update(streamState())).toEqual({ joined: true, changed: true });
    expect(known.update(streamState({ cursor: 11 }))).toEqual({ joined: false, changed: false });
    expect(known.update(streamState({ join: 'j2' }))).toEqual({ joined: true, changed: false });
  });

  test('includes the state of the connection, and since when it is lost', () => {
    const known = new KnownLeader();
    known.update(streamState());
    const open = known.connection;
    known.update(streamState());
    expect(known.connection).toBe(open);
    const now = performance.now();
    expect(known.update(streamState({ connection: 'lost', lostFor: 300 })).changed).toBe(true);
    expect(known.connection).toEqual({ state: 'lost', since: now - 300, refused: false });
    pass(1000);
    expect(known.update(streamState({ connection: 'lost', lostFor: 1300 })).changed).toBe(false);
    expect(known.update(streamState({ connection: 'lost', lostFor: 1300, refused: true })).changed).toBe(true);
    expect(known.update(streamState()).changed).toBe(true);
  });

  test('is the starting state of the next leader, or empty', () => {
    const known = new KnownLeader();
    expect(known.inherited({ gen: null, at: 0 })).toEqual(
      streamState({ gen: null, cursor: 0, join: '', connection: 'connecting' }),
    );
    known.update(streamState({ since: { ses_1: 4 }, connection: 'lost', lostFor: 300 }));
    expect(known.since('ses_1')).toBe(4);
    pass(700);
    expect(known.inherited({ gen: 'g', at: 12 })).toEqual(
      streamState({ since: { ses_1: 4 }, cursor: 12, connection: 'lost', lostFor: 1000 }),
    );
    known.forget();
    expect(known.since('ses_1')).toBe(undefined);
    expect(known.connection).toEqual({ state: 'connecting' });
    expect(known.by).toBe(null);
  });
});
