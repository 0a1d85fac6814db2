// The text of an answer while it streams. Offsets count characters as the server
// counts them: Unicode code points, not the halves that a JavaScript string counts.

export class LiveText {
  constructor() {
    this.parts = { thinking: new Part(), text: new Part(), arguments: new Part() };
    this.confirmed = true; // false: from before a reconnection, not heard of since
  }

  // add takes a delta. False: something before it is missing, and the connection must
  // be made again to get the whole.
  add(kind, offset, text) {
    this.confirmed = true;
    const part = this.parts[kind];
    return part ? part.add(offset, text) : true;
  }

  // set takes a message.snapshot: all there is so far.
  set(kind, text) {
    this.confirmed = true;
    this.parts[kind]?.set(text);
  }

  get text() { return this.parts.text.value; }
  get thinking() { return this.parts.thinking.value; }
  get writesCommand() { return this.parts.arguments.length > 0; }
}

class Part {
  constructor() { this.value = ''; this.length = 0; }

  set(text) { this.value = text; this.length = count(text); }

  add(offset, text) {
    if (offset > this.length) return false;
    if (offset === this.length) {
      this.value += text;
      this.length += count(text);
      return true;
    }
    const rest = Array.from(text).slice(this.length - offset); // what is doubled falls away
    this.value += rest.join('');
    this.length += rest.length;
    return true;
  }
}

function count(text) {
  let n = 0;
  for (const _ of text) n++; // eslint-disable-line no-unused-vars
  return n;
}
