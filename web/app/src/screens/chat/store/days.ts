// The places in the record where the date changes.
import type { Item } from './items';

const atOf = (item: Item): string | undefined =>
  item.kind === 'message'
    ? item.message.timestamp
    : item.kind === 'reads'
      ? item.reads.messages[0]?.timestamp
      : undefined; // an outgoing message has no server time yet

/** The date of a time, in this browser's time zone. */
export const dayOf = (at: string | number): string => new Date(at).toLocaleDateString('en-CA');

/** The items above which a date is shown, with a time of that date. A clock that was set back does not repeat one. */
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
