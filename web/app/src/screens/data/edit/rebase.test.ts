import { expect, it } from 'vitest';
import { rebase } from './rebase';

it('edited fields keep their values, the others get the stored ones', () => {
  const base = { name: 'Weight', description: '', config: { unit: 'kg', min: 0 } };
  const mine = { name: 'My weight', description: '', config: { unit: 'lb', min: 0 } };
  const theirs = { name: 'Mass', description: 'In the morning', config: { unit: 'kg', min: 10 } };
  expect(rebase(base, mine, theirs)).toEqual({
    name: 'My weight',
    description: 'In the morning',
    config: { unit: 'lb', min: 10 },
  });
});

it('a field that was emptied stays empty, and one that was added stays', () => {
  expect(rebase<object>({ a: 1, b: 2 }, { b: 2, c: 3 }, { a: 9, b: 8 })).toEqual({ b: 8, c: 3 });
});
