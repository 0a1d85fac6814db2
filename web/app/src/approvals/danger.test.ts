import { describe, expect, it } from 'vitest';
import { countEffects, dangerousFirst, effectOf, isDangerous } from './danger';

const act = (command: string, more: object = {}) => ({ command, ...more });
const [zone, note] = [{ name: 'Health' }, { text: 'x' }];

describe('the effect of an action', () => {
  it.each([
    ['added', act('CREATE_ZONE', { after: zone })],
    ['added', act('CREATE_DATA', { before: null, after: [note] })],
    ['changed', act('UPDATE_DATA', { before: note, after: { text: 'y' } })],
    ['document', act('CONTEXT_UPDATE', { after: { body: 'x' } })],
    ['document', act('CONTEXT_PUBLISH', { before: { body: '' }, after: { body: 'x' } })],
    ['deletion', act('DELETE_ZONE', { before: zone })],
    ['deletion', act('DELETE_DATA', { before: [note], after: null })],
    ['deletion', act('DELETE_TOOL')], // also where the card has no record of it
    ['deletion', act('CONTEXT_DELETE', { before: { body: 'x' } })],
    ['deletion', act('SHOP.CANCEL', { before: { id: 1 } })],
    ['other', act('SHOP.ORDER')],
    ['other', act('SHOP.DELETE_CART')], // another server's names say nothing for certain
  ])('%s', (effect, action) => {
    expect(effectOf(action)).toBe(effect);
  });

  it('is dangerous if it deletes, warns or has to be signed', () => {
    expect(isDangerous(act('DELETE_DATA'))).toBe(true);
    expect(isDangerous(act('UPDATE_ZONE', { before: zone, after: zone, warnings: ['Careful'] }))).toBe(true);
    expect(isDangerous(act('SHOP.ORDER', { sensitive: true }))).toBe(true);
    expect(isDangerous(act('SHOP.ORDER', { warnings: [] }))).toBe(false);
    expect(isDangerous(act('CREATE_ZONE', { after: zone }))).toBe(false);
  });

  it('is counted, and dangerous ones come first', () => {
    const five = [
      act('CREATE_ZONE', { after: zone }),
      act('UPDATE_DATA', { before: note, after: zone }),
      act('CONTEXT_UPDATE', { after: note }),
      act('CREATE_DATA', { after: note }),
      act('DELETE_ZONE', { before: zone }),
    ];
    expect(countEffects(five)).toEqual([
      { effect: 'added', n: 2 },
      { effect: 'changed', n: 1 },
      { effect: 'document', n: 1 },
      { effect: 'deletion', n: 1 },
    ]);
    expect(dangerousFirst(five).map((a) => a.command)).toEqual([
      'DELETE_ZONE',
      'CREATE_ZONE',
      'UPDATE_DATA',
      'CONTEXT_UPDATE',
      'CREATE_DATA',
    ]);
  });
});
