import { describe, expect, it } from 'vitest';
import { defineTexts, dictionaries, quoted, spaces, type Text } from './texts';

// Finds every module that defines texts, so that no screen is left out.
const modules = import.meta.glob('../**/texts*.ts', { eager: true });

const forms = (text: Text) => (typeof text === 'string' ? [text] : [text.one, text.other]);
const names = (text: Text) => [...new Set(forms(text).flatMap((f) => f.match(/\{\w+\}/g) ?? []))].toSorted();

describe('the texts of the page', () => {
  it('are found', () => expect(Object.keys(modules).length).toBeGreaterThan(2));

  it('have the same keys and the same blanks in both languages, and none is empty', () => {
    for (const { en, fr } of dictionaries) {
      expect(Object.keys(fr).toSorted()).toEqual(Object.keys(en).toSorted());
      for (const [key, text] of Object.entries(en)) {
        expect(names(fr[key]!), key).toEqual(names(text));
        for (const form of [...forms(text), ...forms(fr[key]!)]) expect(form.trim(), key).not.toBe('');
      }
    }
  });

  it('are typeset as French is', () => {
    expect(spaces('Oui : non ; « ah » !')).toBe('Oui\u00a0: non\u202f; «\u00a0ah\u00a0»\u202f!');
    for (const { fr } of dictionaries) {
      for (const [key, text] of Object.entries(fr)) {
        for (const form of forms(text)) {
          if (key === 'language') continue; // it addresses the other tabs
          expect(form, `${key} has an apostrophe of typewriters`).not.toMatch(/\w'\w/);
          expect(spaces(form), `${key} has no space before ; ! or ?`).not.toMatch(/[\p{L})][;!?](\s|$)/u);
        }
      }
    }
  });
});

describe('a name that is written from right to left', () => {
  it('is isolated within a sentence, and no other name is changed', () => {
    const texts = defineTexts({ told: '{name} is gone' }, { told: '{name} a disparu' });
    expect(texts.t('told', { name: 'דוח' })).toMatch(/^\u2068דוח\u2069 /);
    expect(texts.t('told', { name: 'Report' })).not.toMatch(/[\u2068\u2069]/);
    expect(quoted('Waiting for “דוח”, which is idle.')).toBe('Waiting for “\u2068דוח\u2069”, which is idle.');
    expect(quoted('Attend « דוח ».')).toBe('Attend « \u2068דוח\u2069 ».');
    expect(quoted('Waiting for “Report”.')).toBe('Waiting for “Report”.');
    dictionaries.pop();
  });
});
