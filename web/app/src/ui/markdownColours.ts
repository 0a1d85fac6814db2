// Syntax highlighting, loaded with the first block of code: four colours, by token kind.
import { parse, type TokenType } from 'sugar-high/core';
import { lang, languages } from 'sugar-high/lang';

const kinds: Partial<Record<TokenType, string>> = {
  keyword: 'word',
  class: 'name',
  entity: 'name',
  string: 'text',
  comment: 'note',
  sign: 'note',
};

/** A code as tokens, each with its kind; "" is the colour of the text. */
export function piecesOf(code: string, language: string): [kind: string, text: string][] {
  const known = lang(language.toLowerCase());
  if (!known || known === 'plaintext') return [['', code]];
  const config = languages.find((one) => one.id === known)?.config;
  const pieces: [string, string][] = [];
  parse(code, config).lines.forEach((line, n) => {
    if (n > 0) add(pieces, '', '\n');
    for (const { type, value } of line.tokens) add(pieces, kinds[type] ?? '', value);
  });
  // Highlighting must not change the text.
  return pieces.map((p) => p[1]).join('') === code ? pieces : [['', code]];
}

function add(pieces: [string, string][], kind: string, text: string): void {
  const last = pieces.at(-1);
  if (last?.[0] === kind) last[1] += text;
  else pieces.push([kind, text]);
}
