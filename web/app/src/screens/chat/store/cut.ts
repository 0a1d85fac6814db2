/** The beginning of a text, at most the given number of characters, cut at the end of a word if possible. */
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
