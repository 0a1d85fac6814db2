// Parses typed text to values.
import { Unreadable } from './types';
import type { Lang } from '../../i18n/lang';

/** Parses a number as people write it, with a decimal comma in French. Thousands may be separated, but not by a
 * comma: "1,000" is ambiguous. */
export function readNumber(text: string, lang: Lang): number | undefined | Unreadable {
  const typed = text.trim();
  if (!typed) return undefined;
  const plain = typed.replace(/[\s\u00a0\u202f](?=\d{3}(\D|$))/g, '').replace('−', '-');
  const number = lang === 'fr' ? plain.replace(',', '.') : plain;
  const value = Number(number);
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(number) && Number.isFinite(value)
    ? value
    : new Unreadable(text, 'number');
}

export const writeNumber = (value: number, lang: Lang) =>
  lang === 'fr' ? String(value).replace('.', ',') : String(value);

export interface Place {
  line: number;
  column: number;
  found: string;
}

/** The position of the first JSON error in a text, or null. */
export function placeOf(text: string): Place | null {
  try {
    JSON.parse(text);
    return null;
  } catch (thrown) {
    const said = String((thrown as Error).message);
    const place = /line (\d+),? column (\d+)/.exec(said);
    const lines = text.split('\n');
    if (place) {
      const [line, column] = [Number(place[1]), Number(place[2])];
      return { line, column, found: lines[line - 1]?.[column - 1] ?? '' };
    }
    const position = /position (\d+)/.exec(said);
    const at = position ? Number(position[1]) : (inside(said, text) ?? text.length);
    const before = text.slice(0, at).split('\n');
    return { line: before.length, column: before.at(-1)!.length + 1, found: text[at] ?? '' };
  }
}

// Some engines only quote the surrounding text.
function inside(said: string, text: string): number | null {
  const token = /token '(.)'/su.exec(said)?.[1];
  const at = token ? text.indexOf(token) : -1;
  return at < 0 ? null : at;
}

/** Parses a text as JSON; empty is unset. */
export function readJSON(text: string): unknown {
  if (!text.trim()) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return new Unreadable(text, 'json');
  }
}

export const writeJSON = (value: unknown): string =>
  value instanceof Unreadable ? value.text : value === undefined ? '' : JSON.stringify(value, null, 2);
