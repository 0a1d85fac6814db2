// What screen readers are told: finished sentences of the answer as it streams, never
// single tokens, and what asks for the person.

const ends = /[.!?…:]["'»”)]*(?=\s)|\n/g;

export class Announcer {
  constructor(region) {
    this.region = region;
    this.said = new Map(); // message id -> characters announced
  }

  // grow announces the sentences of an answer that are complete by now.
  grow(id, text) { this.speak(id, text, lastEnd(text)); }

  // finish announces the rest of an answer. skip: it was there before, say nothing.
  finish(id, text, skip = false) {
    if (skip) this.said.set(id, text.length);
    else this.speak(id, text, text.length);
  }

  speak(id, text, end) {
    const from = this.said.get(id) ?? 0;
    if (end <= from) return;
    this.said.set(id, end);
    this.say(text.slice(from, end));
  }

  say(text) {
    const plain = text.replace(/[*_`#>]+/g, '').trim();
    if (!plain) return;
    const line = document.createElement('p');
    line.textContent = plain;
    this.region.append(line);
    while (this.region.children.length > 12) this.region.firstElementChild.remove();
  }
}

function lastEnd(text) {
  let end = 0;
  for (const m of text.matchAll(ends)) end = m.index + m[0].length;
  return end;
}
