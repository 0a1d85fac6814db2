import { problemInFrench } from '../api/inFrench';
import type { Problem } from '../api/problem';
import { getLang } from '../i18n/lang';
import { texts } from './texts';

/** The text of a problem in the page's language. */
export function problemWords({ code, detail }: Pick<Problem, 'code' | 'detail'>): string {
  const own = `code.${code}`;
  if (texts.t.has(own)) return texts.t(own);
  if (getLang() === 'fr') return problemInFrench(code) ?? texts.t('problem.title');
  return detail || texts.t('problem.title');
}
