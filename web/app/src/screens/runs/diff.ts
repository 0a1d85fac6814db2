// A word diff of two texts.
export interface Piece {
  kind: 'same' | 'gone' | 'new';
  text: string;
}

const maxWords = 1500; // words of each; longer texts are compared by line

/** Splits without loss: the pieces joined are the text. */
const cut = (text: string, lines: boolean) => text.match(lines ? /[^\n]*\n|[^\n]+$/g : /\s+|[^\s]+/g) ?? [];

export function diff(before: string, now: string): Piece[] {
  let a = cut(before, false);
  let b = cut(now, false);
  if (a.length > maxWords || b.length > maxWords) {
    a = cut(before, true);
    b = cut(now, true);
  }
  if (a.length > maxWords || b.length > maxWords)
    return pieces([
      ['gone', before],
      ['new', now],
    ]);
  return pieces(walk(a, b, lengths(a, b)));
}

/** For each pair of positions, the length of the longest common subsequence of the suffixes. */
function lengths(a: string[], b: string[]): Uint16Array[] {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i]![j] = a[i] === b[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
    }
  }
  return table;
}

function walk(a: string[], b: string[], table: Uint16Array[]): [Piece['kind'], string][] {
  const out: [Piece['kind'], string][] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push(['same', a[i]!]);
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && table[i + 1]![j]! >= table[i]![j + 1]!)) out.push(['gone', a[i++]!]);
    else out.push(['new', b[j++]!]);
  }
  return out;
}

function pieces(steps: [Piece['kind'], string][]): Piece[] {
  const out: Piece[] = [];
  for (const [kind, text] of steps) {
    const last = out.at(-1);
    if (last?.kind === kind) last.text += text;
    else if (text) out.push({ kind, text });
  }
  return out;
}
