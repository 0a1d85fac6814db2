import { describe, expect, it } from 'vitest';
import { at, patchOf } from './pointer';

describe('pointers', () => {
  const settings = { limits: { chat: { a: 1 } }, prices: { 'a/b~c': { input: 2 } } };
  it('find their value, and undefined if there is none', () => {
    expect(at(settings, '/limits/chat/a')).toBe(1);
    expect(at(settings, '/prices/a~1b~0c/input')).toBe(2);
    expect(at(settings, '/limits/robot/a')).toBeUndefined();
  });
  it('become one merge patch', () => {
    expect(
      patchOf(
        new Map<string, unknown>([
          ['/time_zone', 'UTC'],
          ['/limits/chat/a', null],
          ['/limits/automation/a', 2],
          ['/prices/a~1b', null],
        ]),
      ),
    ).toEqual({ time_zone: 'UTC', limits: { chat: { a: null }, automation: { a: 2 } }, prices: { 'a/b': null } });
  });
});
