/** The distance from the end, in pixels, that still counts as the end. */
export const near = 80;

/** The position of the viewport: pixels above it, and below it. */
interface Place {
  top: number;
  left: number;
}

/** Whether the person is at the end of the record or has scrolled away from it. Two other things move the viewport:
 * the list, once it has measured its items, and the browser, when the list shrinks. And a scroll event is dispatched
 * only before the next frame, when content may have been added below. Neither counts as scrolling away. */
export class End {
  at = true;
  #top = 0; // the position before any scrolling

  /** A message was sent: follow its answer. */
  wanted(): void {
    this.at = true;
  }

  /** The list itself has moved the viewport. */
  moved(by: number): void {
    this.#top += by;
  }

  /** The list was resized: if it shrank, the browser has scrolled the viewport to its end. */
  sized({ top, left }: Place): void {
    if (left < 1) this.#top = top;
  }

  /** The viewport has moved. Upwards means that the person scrolled away; a few pixels come from the field below,
   * whose height changes. */
  scrolled({ top, left }: Place): void {
    if (left < near) this.at = true;
    else if (top < this.#top - near) this.at = false;
    else if (top < this.#top) return; // the few pixels add up
    this.#top = top;
  }
}
