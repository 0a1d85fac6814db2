// The French error texts are loaded only on a French page.
import { getLang, onLang } from '../i18n/lang';

type Tables = typeof import('./french');
let tables: Tables | undefined;

/** Loads the texts if the page is in French. Until they are loaded, an error has a generic text. */
export async function fetchFrench(): Promise<void> {
  if (getLang() !== 'fr' || tables) return;
  try {
    tables = await import('./french');
  } catch {
    /* tried again with the next error */
  }
}
onLang(() => void fetchFrench());
void fetchFrench();

function words(): Tables | undefined {
  void fetchFrench();
  return tables;
}

/** The French text of a problem code, or undefined. */
export const problemInFrench = (code: string): string | undefined => words()?.problemsInFrench[code];

/** The text of a single error in a request, in the page's language. */
export const mistakeWords = (code: string, message: string): string =>
  getLang() === 'fr' ? (words()?.mistakesInFrench[code] ?? 'Cette valeur n’est pas valable.') : message;

/** The meaning and remedy of a provider test's failure, in the page's language. */
export const testWords = (code: string, meaning: string, remedy: string): readonly [string, string] =>
  getLang() === 'fr'
    ? (words()?.testsInFrench[code] ?? ['Le fournisseur est mal configuré.', 'Modifiez sa configuration.'])
    : [meaning, remedy];

/** The description of an invariant, in the page's language. */
export const invariantWords = (name: string, description: string): string =>
  getLang() === 'fr' ? (words()?.invariantsInFrench[name] ?? '') : description;
