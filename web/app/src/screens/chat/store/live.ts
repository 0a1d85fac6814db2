// The text of a streaming answer. Offsets count Unicode code points, as on the server, not the UTF-16 units of a
// JavaScript string.

export type LiveKind = 'text' | 'thinking' | 'arguments';

class Part {
  value = '';
  length = 0; // in code points

  set(text: string): void {
    this.value = text;
    this.length = count(text);
  }

  /** False: preceding text is missing. */
  add(offset: number, text: string): boolean {
    if (offset > this.length) return false;
    if (offset === this.length) {
      this.value += text;
      this.length += count(text);
      return true;
    }
    const rest = Array.from(text).slice(this.length - offset); // repeated text is dropped
    this.value += rest.join('');
    this.length += rest.length;
    return true;
  }
}

export class LiveText {
  private parts: Record<LiveKind, Part> = { text: new Part(), thinking: new Part(), arguments: new Part() };

  /** Applies a delta. False: preceding text is missing and has to be loaded. */
  add(kind: LiveKind, offset: number, text: string): boolean {
    return this.parts[kind]?.add(offset, text) ?? true;
  }

  /** Sets the complete text so far. */
  set(kind: LiveKind, text: string): void {
    this.parts[kind]?.set(text);
  }

  get text(): string {
    return this.parts.text.value;
  }
  get thinking(): string {
    return this.parts.thinking.value;
  }
  get writesCommand(): boolean {
    return this.parts.arguments.length > 0;
  }
}

function count(text: string): number {
  let halves = 0;
  for (let i = 0; i < text.length; i++)
    if ((text.charCodeAt(i) & 0xfc00) === 0xdc00 && i > 0 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800) halves++;
  return text.length - halves;
}
