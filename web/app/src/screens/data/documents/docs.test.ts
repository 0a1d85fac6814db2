import { expect, it } from 'vitest';
import { keyOf, stateOf } from './docs';

it('a key is made from the title', () => {
  expect(keyOf('Règles de la maison !')).toBe('regles_de_la_maison');
  expect(keyOf('  Œuvre 2.0 ')).toBe('oeuvre_2.0');
  expect(keyOf('日本')).toBe('');
});

it('a document is read by sessions, read in an older version, or not read', () => {
  expect(stateOf({ body: 'a', published_body: null, published_at: null })).toBe('draft');
  expect(stateOf({ body: 'a', published_body: 'a', published_at: '2026-01-01T00:00:00Z' })).toBe('published');
  expect(stateOf({ body: 'b', published_body: 'a', published_at: '2026-01-01T00:00:00Z' })).toBe('changed');
});
