import { expect, it, vi } from 'vitest';

vi.mock('../../../api/client', () => ({ api: {}, body: () => {}, versioned: () => {}, newKey: () => 'key' }));

const { choicesToSave, nameAfter } = await import('./beginning');

const settings = { changed: [] as string[], language: 'en' as const, time_zone: 'UTC', require_validation: false };
const first = { asks: true, language: 'fr', timeZone: 'Europe/Paris' };

it('saves a new user’s choices, except for values that are set already', () => {
  expect(choicesToSave(first, settings)).toEqual({
    require_validation: true,
    language: 'fr',
    time_zone: 'Europe/Paris',
  });
  expect(choicesToSave({ asks: true }, settings)).toEqual({ require_validation: true });
  expect(choicesToSave({ asks: false }, settings)).toEqual({});
  expect(choicesToSave({ ...first, asks: false }, settings)).toEqual({ language: 'fr', time_zone: 'Europe/Paris' });
  expect(choicesToSave(first, { ...settings, changed: ['/require_validation', '/language', '/time_zone'] })).toEqual(
    {},
  );
  expect(
    choicesToSave({ asks: true, language: 'en', timeZone: 'UTC' }, { ...settings, require_validation: true }),
  ).toEqual({});
});

it('names a chat by the beginning of its first line', () => {
  expect(nameAfter({ text: ' Track my sleep\nin hours', references: [] })).toBe('Track my sleep');
  expect(nameAfter({ text: 'How is @[Sleep]?', references: [{ label: 'Sleep', type: 'USE', config: {} }] })).toBe(
    'How is Sleep?',
  );
});
