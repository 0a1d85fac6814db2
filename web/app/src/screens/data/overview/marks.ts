export interface Part {
  text: string;
  marked: boolean;
}

/** Splits a text at search matches. Offsets are in code points, as on the server; overlapping or invalid ones are
 * harmless. */
export function partsOf(text: string, marks: { start: number; end: number }[]): Part[] {
  const points = Array.from(text);
  const parts: Part[] = [];
  let at = 0;
  const take = (end: number, marked: boolean) => {
    if (end > at) parts.push({ text: points.slice(at, end).join(''), marked });
    at = Math.max(at, end);
  };
  for (const { start, end } of marks.toSorted((a, b) => a.start - b.start)) {
    take(Math.min(start, points.length), false);
    take(Math.min(end, points.length), true);
  }
  take(points.length, false);
  return parts;
}

/** The positions of given words in a text: for titles, which come without offsets. */
export function placesOf(text: string, words: string[]): { start: number; end: number }[] {
  const found = words.filter(Boolean).map((word) => {
    const at = text.indexOf(word);
    return at < 0
      ? null
      : { start: Array.from(text.slice(0, at)).length, end: Array.from(text.slice(0, at + word.length)).length };
  });
  return found.filter((place) => place !== null);
}
