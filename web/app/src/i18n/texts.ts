// The texts of a screen in both languages, checked by the compiler: French has each key that English has, and
// plurals where English has them.
import { useSyncExternalStore } from 'react';
import { getLang, onLang, type Lang } from './lang';

export interface Plural {
  one: string;
  other: string;
}
export type Text = string | Plural;
export type Params = Record<string, string | number>;
type Same<T> = { [K in keyof T]: T[K] extends string ? string : Plural };

export interface Dictionary {
  en: Record<string, Text>;
  fr: Record<string, Text>;
}

/** All defined dictionaries, for a test. */
export const dictionaries: Dictionary[] = [];

export interface Texts<K extends string> {
  /** In a component: `const t = texts.use(); t('title', { n: 3 })`. `n` picks the plural. */
  use(): T<K>;
  /** Outside a component. */
  t: T<K>;
}
export interface T<K extends string> {
  (key: K, params?: Params): string;
  /** Whether a text has this key: for codes that the server may add. */
  has(key: string): key is K;
}

export function defineTexts<const D extends Record<string, Text>>(en: D, fr: Same<D>): Texts<keyof D & string> {
  type K = keyof D & string;
  const both: Dictionary = { en, fr: fr as Record<string, Text> };
  dictionaries.push(both);
  const of = (lang: Lang): T<K> => {
    const say = (key: K, params?: Params) => fill(lang, both[lang][key] ?? key, params);
    return Object.assign(say, { has: (key: string): key is K => Object.hasOwn(both.en, key) });
  };
  const made = { en: of('en'), fr: of('fr') };
  return {
    use: () => made[useLang()],
    t: Object.assign((key: K, params?: Params) => made[getLang()](key, params), { has: made.en.has }),
  };
}

export const useLang = (): Lang => useSyncExternalStore(onLang, getLang, getLang);

const rules = { en: new Intl.PluralRules('en'), fr: new Intl.PluralRules('fr') };

function fill(lang: Lang, text: Text, params: Params = {}): string {
  const chosen =
    typeof text === 'string' ? text : text[rules[lang].select(Number(params.n ?? 0)) === 'one' ? 'one' : 'other'];
  const typeset = lang === 'fr' ? spaces(chosen) : chosen;
  return typeset.replace(/\{(\w+)\}/g, (whole, name: string) => (name in params ? apart(String(params[name])) : whole));
}

const turning = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u200f\u202a-\u202e\u2066-\u2069]/;

/** A name in a right-to-left script, or with direction marks, is isolated within a sentence by Unicode's isolate
 * characters. */
const apart = (said: string): string => (turning.test(said) ? `\u2068${said}\u2069` : said);

/** French spaces: a narrow no-break one before ; ! ? », no-break ones before : and after «. */
export function spaces(text: string): string {
  return text
    .replace(/ ([;!?])/g, '\u202f$1')
    .replace(/ :/g, '\u00a0:')
    .replace(/« /g, '«\u00a0')
    .replace(/ »/g, '\u00a0»')
    .replace(/(\d|\}) (%|€|ms|s|min|h|j|ko|Mo)(?![\wéè])/g, '$1\u00a0$2');
}

/** A text of the server with its quoted names isolated. */
export const quoted = (sentence: string): string =>
  sentence.replace(
    /([“«]\s?)([^”»]+?)(\s?[”»])/g,
    (_, before: string, name: string, after: string) => `${before}${apart(name)}${after}`,
  );
