import { describe, expect, it } from 'vitest';
import { difference, same } from './mergePatch';

describe('the difference of two objects', () => {
  it('contains new and changed members, and null for removed ones', () => {
    expect(
      difference(
        { model: 'a', max: 1, prices: { input: 1, output: 2 } },
        { model: 'b', prices: { input: 1, output: 3 }, tier: 'x' },
      ),
    ).toEqual({ model: 'b', max: null, prices: { output: 3 }, tier: 'x' });
  });
  it('is empty for equal objects, in any order', () => {
    expect(difference({ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 })).toEqual({});
    expect(same({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
    expect(same([1, 2], [2, 1])).toBe(false);
  });
  it('is recursive for objects, and sends lists whole', () => {
    expect(
      difference(
        { from: { city: 'Lyon', zip: '69001' }, stops: ['Nice', 'Pau'], to: { city: 'Metz' } },
        { from: { city: 'Lyon' }, stops: ['Nice'], to: undefined },
      ),
    ).toEqual({ from: { zip: null }, stops: ['Nice'], to: null });
  });
  it('handles an object that was absent before, and any member name', () => {
    expect(difference({ a: [1] }, { a: { b: 1 } })).toEqual({ a: { b: 1 } });
    const odd = JSON.parse('{"__proto__": {"x": 1}}') as Record<string, unknown>;
    expect(JSON.stringify(difference({}, odd))).toBe('{"__proto__":{"x":1}}');
    expect(difference(odd, structuredClone(odd))).toEqual({});
  });
});
