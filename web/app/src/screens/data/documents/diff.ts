export interface Line {
  kind: 'same' | 'added' | 'gone';
  text: string;
}

const maxCells = 4_000_000; // cells of the table; above that, the middle is one changed block

/** A line diff of two texts: unchanged, removed and added lines. */
export function diffLines(before: string, now: string): Line[] {
  const [a, b] = [before.split('\n'), now.split('\n')];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const same = (lines: string[]): Line[] => lines.map((text) => ({ kind: 'same', text }));
  return [
    ...same(a.slice(0, head)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...same(tail ? a.slice(-tail) : []),
  ];
}

function middle(a: string[], b: string[]): Line[] {
  const gone = (text: string): Line => ({ kind: 'gone', text });
  const added = (text: string): Line => ({ kind: 'added', text });
  const width = b.length + 1;
  if ((a.length + 1) * width > maxCells) return [...a.map(gone), ...b.map(added)];
  // length[i * width + j]: the longest common subsequence of the suffixes a[i…] and b[j…].
  const length = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => length[i * width + j]!;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--)
      length[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i]! });
      i++;
      j++;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) lines.push(gone(a[i++]!));
    else lines.push(added(b[j++]!));
  }
  return lines;
}
