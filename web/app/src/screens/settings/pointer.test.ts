import { describe, expect, it } from 'vitest';
import { at, difference, patchOf, same } from './pointer';

describe('pointers', () => {
  const settings = { limits: { chat: { a: 1 } }, prices: { 'a/b~c': { input: 2 } } };
  it('find what they name, and nothing where there is nothing', () => {
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

describe('the difference of two objects', () => {
  it('names what is new and other, and gives null to what is gone', () => {
    expect(
      difference(
        { model: 'a', max: 1, prices: { input: 1, output: 2 } },
        { model: 'b', prices: { input: 1, output: 3 }, tier: 'x' },
      ),
    ).toEqual({ model: 'b', max: null, prices: { output: 3 }, tier: 'x' });
  });
  it('is nothing between equals, in whatever order', () => {
    expect(difference({ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 })).toEqual({});
    expect(same({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
    expect(same([1, 2], [2, 1])).toBe(false);
  });
});
