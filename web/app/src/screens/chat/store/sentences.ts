// Announcements of an answer for screen readers: complete sentences while it streams, never single tokens, and the
// rest when it is done.

const ends = /[.!?…:]["'»”)]*(?=\s)|\n/g;

export class Sentences {
  private said = new Map<string, number>(); // message id -> characters announced

  constructor(private readonly say: (text: string) => void) {}

  /** Announces the sentences that are complete by now. */
  grow(id: string, text: string): void {
    this.speak(id, text, lastEnd(text, this.said.get(id) ?? 0));
  }

  /** Announces the rest of an answer. */
  finish(id: string, text: string): void {
    this.speak(id, text, text.length);
  }

  /** The answer is complete. The rest of an announced answer is announced; one that was there before is not. */
  catchUp(id: string, text: string): void {
    if (this.said.has(id)) this.finish(id, text);
    else this.said.set(id, text.length);
  }

  private speak(id: string, text: string, end: number): void {
    const from = this.said.get(id) ?? 0;
    if (end <= from) return;
    this.said.set(id, end);
    this.say(
      text
        .slice(from, end)
        .replace(/[*_`#>|]+/g, '')
        .trim(),
    );
  }
}

function lastEnd(text: string, from: number): number {
  let end = 0;
  ends.lastIndex = from;
  for (let m = ends.exec(text); m; m = ends.exec(text)) end = m.index + m[0].length;
  return end;
}
