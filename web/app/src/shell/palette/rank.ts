/** A target: a place to go to, or a command. */
export interface Target {
  id: string;
  group: string;
  name: string;
  href?: string;
  /** The action, if it is a command. */
  act?: () => void;
  note?: string;
  /** The equivalent shortcut. */
  keys?: string;
  /** Other search words. */
  also?: string;
}

/** A text in lower case and without accents. */
export const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** The rank of a match, lower is better: the whole, its beginning, a word's beginning, anywhere. */
function distance(text: string, word: string): number | null {
  if (text === word) return 0;
  if (text.startsWith(word)) return 1;
  if (text.includes(` ${word}`)) return 2;
  return text.includes(word) ? 3 : null;
}

function score(name: string, words: string[]): number | null {
  const text = plain(name);
  let sum = 0;
  for (const word of words) {
    const found = distance(text, word);
    if (found === null) return null;
    sum += found;
  }
  return sum;
}

/** A match of another word ranks after all matches of names. */
function alias(also: string | undefined, words: string[]): number | null {
  const points = also ? score(also, words) : null;
  return points === null ? null : points + 10;
}

/** The targets whose names contain all words, best first, a few per group. Without words, all in order. */
export function rank(targets: Target[], query: string, each: number): Target[] {
  const words = plain(query).split(/\s+/).filter(Boolean);
  const groups = new Map<string, { target: Target; score: number }[]>();
  for (const target of targets) {
    const points = score(target.name, words) ?? alias(target.also, words);
    if (points === null) continue;
    const group = groups.get(target.group) ?? [];
    group.push({ target, score: points });
    groups.set(target.group, group);
  }
  return [...groups.values()].flatMap((group) =>
    group
      .toSorted((a, b) => a.score - b.score)
      .slice(0, each)
      .map(({ target }) => target),
  );
}
