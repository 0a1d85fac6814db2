/** The beginning of a text, at most so many characters, ending with a whole word where there is one. */
export function cutAtWord(text: string, most: number): string {
  const letters = [...text.trim()];
  if (letters.length <= most) return letters.join('');
  const head = letters.slice(0, most);
  const space = head.findLastIndex((c) => /\s/.test(c));
  const end = /\s/.test(letters[most]!) ? most : space > most / 2 ? space : most - 1;
  return `${letters
    .slice(0, end)
    .join('')
    .replace(/[\s,;:.–—-]+$/u, '')}…`;
}
