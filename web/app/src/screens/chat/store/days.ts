// Where in the record another day begins.
import type { Item } from './items';

const atOf = (item: Item): string | undefined =>
  item.kind === 'message'
    ? item.message.timestamp
    : item.kind === 'reads'
      ? item.reads.messages[0]?.timestamp
      : undefined; // what is on its way has no time of the server's yet

/** The day of a time, by this browser's clock. */
export const dayOf = (at: string | number): string => new Date(at).toLocaleDateString('en-CA');

/** The items above which a day is named, with a time of it. A clock that was set back makes no second one. */
export function daysOf(items: readonly Item[]): Map<number, string> {
  const days = new Map<number, string>();
  let latest = '';
  items.forEach((item, i) => {
    const at = atOf(item);
    if (!at || dayOf(at) <= latest) return;
    latest = dayOf(at);
    days.set(i, at);
  });
  return days;
}
