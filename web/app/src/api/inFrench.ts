// The words of errors in French are fetched where the page is French: an English one does without.
import { getLang, onLang } from '../i18n/lang';

type Tables = typeof import('./french');
let tables: Tables | undefined;

/** Fetches the words, if the page is French; until they are there an error is said in general. */
export async function fetchFrench(): Promise<void> {
  if (getLang() !== 'fr' || tables) return;
  try {
    tables = await import('./french');
  } catch {
    /* asked for again when the next error is said */
  }
}
onLang(() => void fetchFrench());
void fetchFrench();

function words(): Tables | undefined {
  void fetchFrench();
  return tables;
}

/** What the code of a problem says in French, where the page has no words of its own for it. */
export const problemInFrench = (code: string): string | undefined => words()?.problemsInFrench[code];

/** A mistake in words: the server's own, or in French those of its code. */
export const mistakeWords = (code: string, message: string): string =>
  getLang() === 'fr' ? (words()?.mistakesInFrench[code] ?? 'Cette valeur n’est pas valable.') : message;

/** What a failed test of a provider means and what mends it: the server's words, or in French those of its code. */
export const testWords = (code: string, meaning: string, mend: string): readonly [string, string] =>
  getLang() === 'fr'
    ? (words()?.testsInFrench[code] ?? ['Le fournisseur est mal configuré.', 'Modifiez sa configuration.'])
    : [meaning, mend];

/** What is counted and must never be: the server's words, or in French those of its name. */
export const invariantWords = (name: string, description: string): string =>
  getLang() === 'fr' ? (words()?.invariantsInFrench[name] ?? '') : description;
