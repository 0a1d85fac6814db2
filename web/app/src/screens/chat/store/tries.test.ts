import { describe, expect, test } from 'vitest';
import type { Message } from './sessionStore';
import { seenOf } from './tries';

let seq = 0;
const message = (id: string, round: string, sender: Message['sender'], more: Partial<Message> = {}): Message => ({
  id,
  session_id: 's',
  round_id: round,
  seq: ++seq,
  timestamp: '2030-01-01T00:00:00.000Z',
  sender,
  status: 'stored',
  exclude_from_prompt: false,
  ...(sender === 'USER' ? { rich_content: { segments: [{ type: 'text', text: id }] } } : {}),
  ...more,
});
const gone = { status: 'superseded' as const };

describe('the attempts at a question', () => {
  const twice = [
    message('q', 'r1', 'USER'),
    message('a1', 'r1', 'AI', gone),
    message('a2', 'r2', 'AI', { retry_of: 'r1' }),
  ];
  test('only the current one is shown', () => {
    const seen = seenOf(twice, new Map());
    expect([...seen.hidden]).toEqual(['a1']);
    expect(seen.tries).toMatchObject([{ group: 'r1', rounds: ['r1', 'r2'], shown: 1, current: true, last: true }]);
  });
  test('or the one that the person selected', () => {
    const seen = seenOf(twice, new Map([['r1', 'r1']]));
    expect([...seen.hidden]).toEqual(['a2']);
    expect(seen.tries).toMatchObject([{ shown: 0, current: false, message: 'a1' }]);
  });
  test('while the next attempt has no output yet, none is', () => {
    const seen = seenOf([message('q', 'r1', 'USER'), message('a', 'r1', 'AI', gone)], new Map());
    expect([...seen.hidden]).toEqual(['a']);
    expect(seen.tries).toEqual([]);
  });
  test('each with its own wording', () => {
    const reworded = [
      message('q', 'r1', 'USER', gone),
      message('a', 'r1', 'AI', gone),
      message('w', 'r2', 'USER', { retry_of: 'r1' }),
      message('b', 'r2', 'AI', { retry_of: 'r1' }),
    ];
    expect([...seenOf(reworded, new Map()).hidden]).toEqual(['q', 'a']);
    expect([...seenOf(reworded, new Map([['r1', 'r1']])).hidden]).toEqual(['w', 'b']);
  });
  test('in a round that is not the last none can be selected', () => {
    const followed = [...twice, message('next', 'r3', 'USER')];
    expect(seenOf(followed, new Map()).tries[0]!.last).toBe(false);
  });
});
