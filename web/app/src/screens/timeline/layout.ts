// The positions of bars: time from left to right, with long idle periods folded.
import { busy, type Item } from './model';

export interface Gap {
  id: string;
  start: number;
  end: number;
}
export type Row = { kind: 'item'; key: string; item: Item } | { kind: 'gap'; key: string; gap: Gap; folded: boolean };
export interface Layout {
  rows: Row[];
  /** The position of an instant, from 0 to 1. */
  x(at: number): number;
  gaps: Gap[];
}

/** Idle periods of at least this length are folded: half of the total work, within bounds. */
export function foldFrom(items: Item[]): number {
  const work = items.reduce((sum, item) => {
    const span = busy(item);
    return span ? sum + span[1] - span[0] : sum;
  }, 0);
  return Math.min(60_000, Math.max(2000, work / 2));
}

/** The spans in which nothing began, ended or ran. */
export function gapsOf(items: Item[], least: number): Gap[] {
  const spans = items
    .flatMap((item): [number, number][] => {
      const ends: [number, number][] =
        item.end === null
          ? [[item.at, item.at]]
          : [
              [item.at, item.at],
              [item.end, item.end],
            ];
      const span = busy(item);
      return span ? [...ends, span] : ends;
    })
    .toSorted((a, b) => a[0] - b[0]);
  const gaps: Gap[] = [];
  let reached = spans[0]?.[1] ?? 0;
  for (const [start, end] of spans) {
    if (start - reached >= least) gaps.push({ id: `g${reached}`, start: reached, end: start });
    reached = Math.max(reached, end);
  }
  return gaps;
}

/** Computes the axis and the rows. `all` determines the axis, `shown` are its rows; gaps whose ids are in `unfolded`
 * keep their true width. */
export function layout(all: Item[], shown: Item[], unfolded: ReadonlySet<string>): Layout {
  const gaps = gapsOf(all, foldFrom(all));
  const x = scale(
    all,
    gaps.filter((gap) => !unfolded.has(gap.id)),
  );
  const rows: Row[] = [];
  let g = 0;
  for (const item of shown) {
    for (; g < gaps.length && gaps[g]!.end <= item.at; g++) rows.push(gapRow(gaps[g]!, unfolded));
    rows.push({ kind: 'item', key: item.key, item });
  }
  for (; g < gaps.length && shown.length > 0; g++) rows.push(gapRow(gaps[g]!, unfolded));
  return { rows, x, gaps };
}

const gapRow = (gap: Gap, unfolded: ReadonlySet<string>): Row => ({
  kind: 'gap',
  key: gap.id,
  gap,
  folded: !unfolded.has(gap.id),
});

/** Work is drawn to scale; every fold has the same small width. */
function scale(items: Item[], folds: Gap[]): (at: number) => number {
  const start = items.reduce((least, item) => Math.min(least, item.at), Infinity);
  const end = items.reduce((most, item) => Math.max(most, item.end ?? item.at), -Infinity);
  if (!items.length) return () => 0;
  const narrow = Math.min(0.05, 0.4 / Math.max(1, folds.length));
  const real = end - start - folds.reduce((sum, gap) => sum + gap.end - gap.start, 0);
  const perMs = real > 0 ? (1 - folds.length * narrow) / real : 0;
  // The instants at which folds begin and end, each with its position.
  const stops: { at: number; x: number; rate: number }[] = [{ at: start, x: 0, rate: perMs }];
  for (const gap of folds) {
    const last = stops[stops.length - 1]!;
    const x = last.x + (gap.start - last.at) * last.rate;
    stops.push({ at: gap.start, x, rate: narrow / (gap.end - gap.start) }, { at: gap.end, x: x + narrow, rate: perMs });
  }
  return (at) => {
    let low = 0;
    let high = stops.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (stops[middle]!.at <= at) low = middle;
      else high = middle - 1;
    }
    const stop = stops[low]!;
    return Math.min(1, Math.max(0, stop.x + (at - stop.at) * stop.rate));
  };
}
