import type { Schemas } from '../../../api/client';

/** Whether sessions read a document, and whether that is its current text. */
export function stateOf(
  doc: Pick<Schemas['Document'], 'body' | 'published_body' | 'published_at'>,
): 'draft' | 'changed' | 'published' {
  if (doc.published_at === null || doc.published_body === null) return 'draft';
  return doc.published_body === doc.body ? 'published' : 'changed';
}

/** Derives a key from a title: "Règles de la maison" is regles_de_la_maison. */
export const keyOf = (title: string): string =>
  title
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('œ', 'oe')
    .replace(/[^a-z0-9.-]+/g, '_')
    .replace(/^[_.-]+|[_.-]+$/g, '')
    .slice(0, 100);
