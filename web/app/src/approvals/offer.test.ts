import { describe, expect, it } from 'vitest';
import { offerOf } from './offer';

const action = (command: string, more: object = {}) => ({
  id: 'exe_1',
  command,
  params: {},
  text: '',
  digest: '',
  after: { name: 'x' },
  ...more,
});
const reason = (level: 'workspace' | 'zone' | 'tool' | 'session' | 'ai' | 'outside' | 'connector', more = {}) => ({
  level,
  text: '',
  ...more,
});

describe('the offer to approve automatically', () => {
  it('is the rule that requires approval, and in a run a grant', () => {
    const create = [action('CREATE_ZONE')];
    expect(offerOf({ actions: create, reasons: [reason('workspace')] }, null)?.at).toBe('workspace');
    expect(offerOf({ actions: create, reasons: [reason('tool', { id: 'tol_1' })] }, null)?.at).toBe('tool');
    expect(offerOf({ actions: create, reasons: [reason('workspace')] }, 'aut_1')).toEqual({
      at: 'automation',
      automation: 'aut_1',
    });
  });

  it.each([
    ['a deletion', [action('DELETE_DATA', { before: [], after: null })], [reason('workspace')]],
    ['a warning', [action('CREATE_ZONE', { warnings: ['Careful'] })], [reason('workspace')]],
    ['what a passkey signs', [action('SHOP.ORDER', { sensitive: true })], [reason('workspace')]],
    ['what always asks', [action('CREATE_ZONE')], [reason('workspace', { always: true })]],
    ['what the AI asks for itself', [action('CREATE_ZONE')], [reason('workspace'), reason('ai')]],
    ['text from outside', [action('CREATE_ZONE')], [reason('outside')]],
    ['a connector', [action('SHOP.ORDER')], [reason('connector')]],
    ['no reason', [action('CREATE_ZONE')], []],
  ])('is never offered for %s', (_, actions, reasons) => {
    expect(offerOf({ actions, reasons }, null)).toBeNull();
  });
});
