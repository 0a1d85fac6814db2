import { useEffect, useRef, useState, type RefObject } from 'react';

const grace = 700; // milliseconds after a change of the card in which presses are ignored
const enough = 300; // milliseconds of visibility after which an action counts as seen
const top = 72; // pixels of the beginning of an action that have to be visible

/** The beginning of an action: its name, or its first warning if it is the only action. */
const beginning = (element: HTMLElement): Element =>
  element.querySelector(':scope > label, :scope > div > p') ?? element;

/** Whether the beginning of an action is visible: within the window and all scroll containers, and not covered. */
function inSight(element: HTMLElement): boolean {
  const box = beginning(element).getBoundingClientRect();
  const height = Math.min(box.height, top);
  if (!height || box.top < 0 || box.top + height > window.innerHeight || document.hidden) return false;
  const x = box.left + Math.min(box.width / 2, 40);
  return [box.top + 2, box.top + height - 2].every((y) => {
    const hit = document.elementFromPoint(x, y);
    return hit !== null && (element.contains(hit) || hit.contains(element));
  });
}

/** Tracks which of the marked elements (`data-danger`, their id) have been visible. `reveal` scrolls to the first
 * that has not, and returns how many there were: the press then has to be repeated. */
export function useSeen(box: RefObject<HTMLElement | null>, ids: readonly string[]) {
  const seen = useRef(new Set<string>());
  const first = useRef(new Map<string, number>()); // the time since which it has been visible
  const since = useRef(-Infinity);
  const [hidden, setHidden] = useState(0);
  const dangers = ids.join(' ');
  useEffect(() => {
    if (!dangers) return undefined;
    let later: ReturnType<typeof setTimeout> | undefined;
    let at = Infinity; // the time of the next check
    const lookIn = (ms: number) => {
      if (performance.now() + ms >= at) return;
      clearTimeout(later);
      at = performance.now() + ms;
      later = setTimeout(look, ms);
    };
    const look = () => {
      at = Infinity;
      for (const element of box.current?.querySelectorAll<HTMLElement>('[data-danger]') ?? []) {
        const id = element.dataset.danger!;
        const now = performance.now();
        if (seen.current.has(id)) continue;
        if (!inSight(element)) first.current.delete(id);
        else if (!first.current.has(id)) first.current.set(id, now);
        else if (now - first.current.get(id)! >= enough) {
          seen.current.add(id);
          element.dataset.seen = '';
        }
        if (!seen.current.has(id)) lookIn(enough); // an element that covers it may disappear
      }
    };
    const soon = () => lookIn(16);
    soon();
    const sizes = new ResizeObserver(soon);
    sizes.observe(box.current!);
    document.addEventListener('scroll', soon, { capture: true, passive: true });
    window.addEventListener('resize', soon);
    document.addEventListener('visibilitychange', soon);
    return () => {
      clearTimeout(later);
      sizes.disconnect();
      document.removeEventListener('scroll', soon, { capture: true });
      window.removeEventListener('resize', soon);
      document.removeEventListener('visibilitychange', soon);
    };
  }, [box, dangers]);
  const reveal = (of: readonly string[]): number => {
    if (performance.now() - since.current < grace) return 1; // a double click is not a decision
    const missing = of.filter((id) => !seen.current.has(id));
    setHidden(missing.length);
    if (!missing.length) return 0;
    since.current = performance.now();
    const element = [...(box.current?.querySelectorAll<HTMLElement>('[data-danger]') ?? [])].find(
      (e) => e.dataset.danger === missing[0],
    );
    if (!element) return missing.length;
    beginning(element).scrollIntoView({ block: 'nearest', behavior: 'instant' });
    element.focus({ preventScroll: true });
    return missing.length;
  };
  return { reveal, hidden };
}
