import { expect, test } from 'vitest';
import { agentOf, draftOf, patchOf } from './draft';

test('only what was changed is sent; what was emptied is taken away', () => {
  const before = { ...draftOf(null), name: 'Finder', strategy: 'Look first.', commands: ['SEARCH'] };
  expect(patchOf(before, before)).toEqual({});
  expect(patchOf(before, { ...before, strategy: ' ', max_turns: '9', commands: ['SEARCH', 'CONTEXT'] })).toEqual({
    strategy: null,
    max_turns: 9,
    commands: ['SEARCH', 'CONTEXT'],
  });
});

test('a new one has the limits of the server, and no empty texts', () => {
  const made = agentOf({ ...draftOf(null), name: ' Finder ' });
  expect([made.name, made.max_turns, made.token_budget, made.strategy, made.enabled]).toEqual([
    'Finder',
    7,
    15_000,
    null,
    true,
  ]);
});
