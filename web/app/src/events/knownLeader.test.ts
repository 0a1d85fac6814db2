import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { KnownLeader } from './knownLeader';
import type { Standing } from './wire';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTime(ms);
const stands = (more: Partial<Standing> = {}): Standing => ({
  gen: 'g',
  cursor: 10,
  since: {},
  join: 'j1',
  connection: 'open',
  lostFor: 0,
  refused: false,
  ...more,
});

describe('a leader that is silent', () => {
  test.each([
    ['visible', false, 4000],
    ['hidden', true, 20_000],
  ])('is asked after a while, and replaced when it does not answer (%s)', (_, hidden, quiet) => {
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
    known.heard({ term: 1, tab: 'a' });
    pass(4000);
    expect(known.overdue(false)).toBe(null);
  });
});

describe('what a tab knows of its leader', () => {
  test('is who it is: a new term of the same tab is no other leader', () => {
    const known = new KnownLeader();
    expect(known.heard({ term: 1, tab: 'a' })).toBe(true);
    expect(known.heard({ term: 2, tab: 'a' })).toBe(false);
    expect(known.by).toEqual({ term: 2, tab: 'a' });
    expect(known.heard({ term: 3, tab: 'b' })).toBe(true);
  });

  test('is whether its stream was connected anew', () => {
    const known = new KnownLeader();
    expect(known.update(stands({ gen: null, join: '', connection: 'connecting' }))).toEqual({
      joined: false,
      changed: false,
    });
    expect(known.update(stands())).toEqual({ joined: true, changed: true });
    expect(known.update(stands({ cursor: 11 }))).toEqual({ joined: false, changed: false });
    expect(known.update(stands({ join: 'j2' }))).toEqual({ joined: true, changed: false });
  });

  test('is how the connection is, and since when it is lost', () => {
    const known = new KnownLeader();
    known.update(stands());
    const open = known.connection;
    known.update(stands());
    expect(known.connection).toBe(open);
    const now = performance.now();
    expect(known.update(stands({ connection: 'lost', lostFor: 300 })).changed).toBe(true);
    expect(known.connection).toEqual({ state: 'lost', since: now - 300, refused: false });
    pass(1000);
    expect(known.update(stands({ connection: 'lost', lostFor: 1300 })).changed).toBe(false);
    expect(known.update(stands({ connection: 'lost', lostFor: 1300, refused: true })).changed).toBe(true);
    expect(known.update(stands()).changed).toBe(true);
  });

  test('is what a tab begins with that takes over, or nothing', () => {
    const known = new KnownLeader();
    expect(known.inherited({ gen: null, at: 0 })).toEqual(
      stands({ gen: null, cursor: 0, join: '', connection: 'connecting' }),
    );
    known.update(stands({ since: { ses_1: 4 }, connection: 'lost', lostFor: 300 }));
    expect(known.since('ses_1')).toBe(4);
    pass(700);
    expect(known.inherited({ gen: 'g', at: 12 })).toEqual(
      stands({ since: { ses_1: 4 }, cursor: 12, connection: 'lost', lostFor: 1000 }),
    );
    known.forget();
    expect(known.since('ses_1')).toBe(undefined);
    expect(known.connection).toEqual({ state: 'connecting' });
    expect(known.by).toBe(null);
  });
});
