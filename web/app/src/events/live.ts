import type { StreamEvent } from './types';

type Kind = 'text' | 'thinking' | 'arguments';
interface Answer {
  message: string;
  parts: Map<Kind, { text: string; length: number }>; // in characters, as offsets count
  /** The stream was reconnected, and this answer has not streamed since. */
  unconfirmed: boolean;
}

/** Characters as the server counts them: code points. */
export function length(text: string): number {
  let n = 0;
  for (const _ of text) n++;
  return n;
}

export const sessionOf = (event: StreamEvent): string | null => {
  const data = event.data as { session_id?: string; message?: { session_id?: string } } | null;
  return data?.session_id ?? data?.message?.session_id ?? null;
};

/** The text of answers while they stream. It is not stored, so its pieces are joined by their offsets: none twice,
 * and none after a gap. */
export class Live {
  private answers = new Map<string, Answer>(); // by session

  /** The events to pass on for one event. 'gap': a piece before it is missing. */
  take(event: StreamEvent): StreamEvent[] | 'gap' {
    switch (event.name) {
      case 'message.snapshot': {
        const { session_id, message_id, kind, offset, text } = event.data;
        const before = this.voided(session_id, message_id);
        const answer = this.answer(session_id, message_id);
        answer.unconfirmed = false;
        answer.parts.set(kind, { text, length: offset });
        return [...before, event];
      }
      case 'message.delta':
        return this.delta(event);
      case 'message.discarded': {
        const known = this.answers.get(event.data.session_id);
        if (known?.message === event.data.message_id) this.answers.delete(event.data.session_id);
        return [event];
      }
      case 'message.created': {
        const { session_id, id } = event.data.message;
        if (this.answers.get(session_id)?.message === id) this.answers.delete(session_id);
        return [event];
      }
      default:
        return [event];
    }
  }

  private delta(event: StreamEvent & { name: 'message.delta' }): StreamEvent[] | 'gap' {
    const { session_id, message_id, kind, offset, text } = event.data;
    const known = this.answers.get(session_id);
    const part = known?.message === message_id ? known.parts.get(kind) : undefined;
    const have = part?.length ?? 0;
    if (offset > have) return 'gap';
    const before = this.voided(session_id, message_id);
    const answer = this.answer(session_id, message_id);
    answer.unconfirmed = false;
    const fresh = offset === have ? text : [...text].slice(have - offset).join('');
    if (fresh === '') return before;
    answer.parts.set(kind, { text: (part?.text ?? '') + fresh, length: have + length(fresh) });
    return [...before, fresh === text ? event : { ...event, data: { ...event.data, offset: have, text: fresh } }];
  }

  /** An answer that was replaced by another one is discarded. */
  private voided(session: string, next: string): StreamEvent[] {
    const old = this.answers.get(session);
    if (!old || old.message === next) return [];
    this.answers.delete(session);
    return [discarded(session, old.message)];
  }

  private answer(session: string, message: string): Answer {
    let answer = this.answers.get(session);
    if (!answer) this.answers.set(session, (answer = { message, parts: new Map(), unconfirmed: false }));
    return answer;
  }

  /** Whether anything of these sessions is streaming. */
  has(sessions: Iterable<string>): boolean {
    for (const session of sessions) if (this.answers.has(session)) return true;
    return false;
  }

  /** The whole text that is streaming in these sessions. */
  snapshots(sessions: Iterable<string>): StreamEvent[] {
    const out: StreamEvent[] = [];
    for (const session of sessions) {
      const answer = this.answers.get(session);
      for (const [kind, { text, length: offset }] of answer?.parts ?? []) {
        out.push({
          name: 'message.snapshot',
          seq: 0,
          data: { session_id: session, message_id: answer!.message, kind, offset, text },
        });
      }
    }
    return out;
  }

  /** After a new connection, every answer has to stream again. */
  markUnconfirmed(): void {
    for (const answer of this.answers.values()) answer.unconfirmed = true;
  }

  /** Discards those that did not: that they were discarded in the meantime is not stored. */
  discardUnconfirmed(): StreamEvent[] {
    const out: StreamEvent[] = [];
    for (const [session, { message, unconfirmed }] of this.answers) {
      if (!unconfirmed) continue;
      this.answers.delete(session);
      out.push(discarded(session, message));
    }
    return out;
  }

  forget(session: string): void {
    this.answers.delete(session);
  }
  clear(): void {
    this.answers.clear();
  }
  get size(): number {
    return this.answers.size;
  }
}

const discarded = (session_id: string, message_id: string): StreamEvent => ({
  name: 'message.discarded',
  seq: 0,
  data: { session_id, message_id, reason: 'lost' },
});
