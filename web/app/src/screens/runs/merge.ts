// Merges runs and occurrences, newest first, from two paged lists.
import type { Schemas } from '../../api/client';

export type Run = Schemas['AutomationRun'];
export type Occurrence = Schemas['Occurrence'];
export type Item =
  { at: number; run: Run; occurrence?: undefined } | { at: number; occurrence: Occurrence; run?: undefined };

interface Source<T> {
  items: T[];
  more: boolean;
}
export interface Merged {
  items: Item[];
  /** Which source the next items may come from. */ wants: { runs: boolean; occurrences: boolean };
}

/** The complete part of the list: nothing older than what both lists have loaded. */
export function merge(runs: Source<Run>, occurrences: Source<Occurrence>): Merged {
  const a: Item[] = runs.items.map((run) => ({ at: Date.parse(run.requested_at), run }));
  const b: Item[] = occurrences.items.map((occurrence) => ({ at: Date.parse(occurrence.scheduled_at), occurrence }));
  const lowest = (items: Item[], more: boolean) => (more ? (items.at(-1)?.at ?? Infinity) : -Infinity);
  const down = [lowest(a, runs.more), lowest(b, occurrences.more)] as const;
  const horizon = Math.max(...down);
  return {
    items: [...a, ...b].filter((item) => item.at >= horizon).toSorted((x, y) => y.at - x.at),
    wants: { runs: runs.more && down[0] === horizon, occurrences: occurrences.more && down[1] === horizon },
  };
}

/** Joins pages; an item that moved between two pages during loading appears once. */
export function together<T>(
  pages: { data: T[]; next_cursor?: string | null }[] | undefined,
  key: (item: T) => string,
): Source<T> {
  const seen = new Set<string>();
  const items = (pages ?? [])
    .flatMap((page) => page.data)
    .filter((item) => !seen.has(key(item)) && seen.add(key(item)));
  return { items, more: Boolean(pages?.at(-1)?.next_cursor) };
}
