import { expect, test } from 'vitest';
import { commandName } from './commandName';

test('a command’s own name is converted to words', () => {
  expect(commandName('STUDIO.RENDER_TRAILER')).toBe('Render trailer');
  expect(commandName('SHOP.list-items')).toBe('List items');
  expect(commandName('SHOP.listItems')).toBe('ListItems');
  expect(commandName('AGENT.CONTEXT_MANAGER')).toBe('Context manager');
  expect(commandName('')).toBe('');
});
