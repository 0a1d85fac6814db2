import { expect, it } from 'vitest';
import { SessionStore } from './sessionStore';
import { aMessage, anAnswer, latest } from './fixtures';
import { itemsOf, severalPeople } from './items';

it.each([
  [['key_1', 'key_1'], false],
  [['key_1', 'key_2'], true],
  [[undefined, 'key_1'], false],
  [[], false],
])('names are shown if several people write: %j', (senders, several) => {
  const c = new SessionStore('ses_1');
  c.load(
    latest({
      messages: [
        anAnswer('msg_ai', 9, 'hello'),
        ...senders.map((id, i) => aMessage(`msg_${i}`, i + 1, id ? { sender_id: id } : {})).toReversed(),
      ],
    }),
  );
  expect(severalPeople(itemsOf(c))).toBe(several);
});
