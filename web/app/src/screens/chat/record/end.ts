/** Pixels from the end that still count as being there. */
export const near = 80;

/** Where a window stands: pixels above it, and below it. */
interface Place {
  top: number;
  left: number;
}

/** Whether somebody is at the end of what was said, or has scrolled away from it. The list moves the window
 * too, when it has measured what it shows, and so does the browser, when the list gets smaller; and a scroll
 * is told only before the next frame, when more may have come below. Neither takes anybody away. */
export class End {
  at = true;
  #top = 0; // where the window was when nobody had moved it yet

  /** A message was sent: its answer is wanted. */
  wanted(): void {
    this.at = true;
  }

  /** The list itself has moved the window. */
  moved(by: number): void {
    this.#top += by;
  }

  /** The list has a new size: where it got smaller, the browser has put the window at its end. */
  sized({ top, left }: Place): void {
    if (left < 1) this.#top = top;
  }

  /** The window has moved, whoever did it. Whoever goes up goes away; a little is the field below, whose
   * height changes. */
  scrolled({ top, left }: Place): void {
    if (left < near) this.at = true;
    else if (top < this.#top - near) this.at = false;
    else if (top < this.#top) return; // a little, and the next little with it
    this.#top = top;
  }
}
