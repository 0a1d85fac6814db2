import { describe, expect, it } from 'vitest';
import { localised } from './localised';
import type { StreamEvent } from './types';

const read = (name: string, data: unknown, lang: 'en' | 'fr') =>
  localised({ name, seq: 7, data } as unknown as StreamEvent, lang).data as unknown;

const message = {
  id: 'msg_1',
  session_id: 'ses_1',
  rich_content: { text: 'Hello', translations: { fr: 'Not a text of the server' } },
  system_message: {
    type: 'COMMANDS_EXECUTED',
    summary: 'Two done.',
    translations: { fr: 'Deux faites.' },
    command_results: [
      { command: 'CREATE_ZONE', summary: 'Zone “A” added', translations: { fr: 'Zone « A » ajoutée' } },
      {
        command: 'DELETE_ZONE',
        summary: 'DELETE_ZONE',
        error: { code: 'limit_reached', message: 'Too many.', translations: { fr: 'Trop.' } },
      },
    ],
  },
};

const approval = {
  id: 'apr_1',
  text: 'Two changes',
  translations: { fr: 'Deux modifications' },
  reasons: [{ id: 'w', text: 'The workspace asks.', translations: { fr: 'L’espace le demande.' } }],
  actions: [
    {
      text: 'Add it',
      warnings: ['Careful'],
      after: { a: 1 },
      translations: { fr: { text: 'L’ajouter', warnings: ['Attention'] } },
    },
    { text: 'Same in every language' },
  ],
};

describe('events in the language of their reader', () => {
  it.each(['message.created', 'message.updated'])('%s', (name) => {
    const got = read(name, { message }, 'fr') as { message: typeof message };
    expect(got.message.system_message.summary).toBe('Deux faites.');
    expect(got.message.system_message.command_results.map((r) => r.summary)).toEqual([
      'Zone « A » ajoutée',
      'DELETE_ZONE',
    ]);
    expect(got.message.system_message.command_results[1]!.error!.message).toBe('Trop.');
    expect(got.message.rich_content).toBe(message.rich_content);
  });

  it.each(['approval.requested', 'approval.settled'])('%s', (name) => {
    const got = read(name, { approval }, 'fr') as { approval: typeof approval };
    expect(got.approval.text).toBe('Deux modifications');
    expect(got.approval.reasons[0]!.text).toBe('L’espace le demande.');
    expect(got.approval.actions.map((a) => [a.text, a.warnings, a.after])).toEqual([
      ['L’ajouter', ['Attention'], { a: 1 }],
      ['Same in every language', undefined, undefined],
    ]);
  });

  it.each(['command.planned', 'command.started', 'command.ended'])('%s', (name) => {
    const error = { code: 'x', message: 'No.', translations: { fr: 'Non.' } };
    expect(read(name, { execution: { id: 'e', error } }, 'fr')).toMatchObject({
      execution: { error: { message: 'Non.' } },
    });
    expect(read(name, { execution: { id: 'e', error: null } }, 'fr')).toEqual({ execution: { id: 'e', error: null } });
  });

  it('notice', () => {
    const notice = { level: 'info', text: 'Stopped.', translations: { fr: 'Arrêté.' } };
    expect(read('notice', notice, 'fr')).toMatchObject({ text: 'Arrêté.' });
  });

  it('keeps a text that has no translation: it is in the reader’s language already, or older than translations', () => {
    const data = { message: { ...message, system_message: { summary: 'Alone.' } }, more: 1 };
    for (const lang of ['en', 'fr'] as const) expect(read('message.created', data, lang)).toEqual(data);
    expect(read('message.created', { message }, 'en')).toEqual({ message });
    expect(read('approval.requested', { approval }, 'en')).toEqual({ approval });
  });

  it('does not touch anything else', () => {
    const data = { session_id: 's', text: 'a', translations: { fr: 'b' } };
    expect(read('message.delta', data, 'fr')).toBe(data);
  });
});
