// An open chat: its session, updated by the stream, and the outgoing messages.
import { asProblem } from '../../../api/problem';
import { events } from '../../../events/client';
import type { StreamEvent } from '../../../events/types';
import { onLang } from '../../../i18n/lang';
import { announce } from '../../../shell/announce';
import { texts } from '../texts';
import { codeOf, failureOf, partOf } from './failure';
import { SessionStore, type Change, type Execution, type Message } from './sessionStore';
import { present, type Draft } from './drafts';
import { answerText, writtenText } from './items';
import { begunSession, Outbox, post, type Outgoing } from './outbox';
import { readLatest, readMessages, readRound } from './read';
import { Sentences } from './sentences';

/** Listeners that are called at most once per frame. */
class FrameListeners {
  version = 0;
  private listeners = new Set<() => void>();
  private due = false;

  notify = (): void => {
    if (this.due) return;
    this.due = true;
    const notifyAll = () => {
      if (!this.due) return;
      this.due = false;
      this.version++;
      for (const listener of this.listeners) listener();
    };
    if (document.hidden)
      setTimeout(notifyAll, 200); // no animation frames in this environment
    else requestAnimationFrame(notifyAll);
  };

  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  };

  read = (): number => this.version;
}

const pause = 2000; // milliseconds before a failed read is retried
const patience = 1500; // milliseconds that a message waits for the stream, so that its answer is shown from the start

export class Chat {
  readonly store: SessionStore;
  readonly outbox: Outbox;
  readonly record = new FrameListeners();
  readonly live = new FrameListeners();
  /** The error of the last load. */
  problem: unknown = null;
  gone = false;
  readingOlder = false;
  olderProblem: unknown = null;
  private reading: Promise<void> | null = null;
  private again = false;
  private replace = false; // the next load is in another language
  private stopped = false;
  private later: ReturnType<typeof setTimeout> | undefined;
  private rounds = new Map<string, Promise<void>>();
  /** The messages known when each one was sent. */
  private before = new Map<string, ReadonlySet<string>>();
  private field: ((draft: Draft) => void) | null = null;
  private sentences = new Sentences((text) => announce(text));

  constructor(readonly id: string) {
    this.store = new SessionStore(id, (what: Change) => (what === 'live' ? this.live.notify() : this.record.notify()));
    this.outbox = new Outbox(
      id,
      this.record.notify,
      async (parcel) => {
        this.before.set(parcel.key, new Set(this.store.messages.keys()));
        const { message, session } = await post(id, parcel);
        this.store.arrived(message, session);
      },
      (problem) => this.recheck(problem),
    );
    const made = begunSession(id);
    if (made) this.store.session = made;
  }

  /** Registers the field that gets a withdrawn message. */
  ownField(put: (draft: Draft) => void): () => void {
    this.field = put;
    return () => {
      if (this.field === put) this.field = null;
    };
  }

  /** Puts an unsent message back into the field. */
  takeBack(draft: Draft): void {
    this.field?.(draft);
  }

  /** Outgoing messages that are not in the record yet: the stream may be faster than the reply. */
  get outgoing(): Outgoing[] {
    const { messages } = this.store;
    return this.outbox.items.filter((item) => {
      const before = this.before.get(item.key);
      if (!before || item.state !== 'sending') return true;
      const plain = !present(item.draft).length && !item.draft.files?.length;
      return ![...messages.values()].some(
        (m) => m.sender === 'USER' && !before.has(m.id) && (!plain || writtenText(m).trim() === item.draft.text.trim()),
      );
    });
  }

  /** Follows the session until the end is called. */
  start(): () => void {
    this.stopped = false;
    let ready = false;
    const begin = () => {
      if (ready) return;
      ready = true;
      void this.outbox.flush();
    };
    const ends = [
      events.subscribe((event) => this.take(event)),
      events.onOpen((continued, of) => {
        this.opened(continued, of);
        begin();
      }),
      this.live.subscribe(() => this.speak()),
      onLang(() => {
        this.replace = true;
        void this.load(true);
      }),
    ];
    ends.push(events.watch(this.id));
    const timer = setTimeout(begin, patience);
    void this.load();
    return () => {
      this.stopped = true;
      clearTimeout(timer);
      clearTimeout(this.later);
      for (const end of ends) end();
      this.outbox.close();
    };
  }

  private take(event: StreamEvent): void {
    const known = this.store.messages;
    const { voided } = this.store;
    if (!this.store.apply(event)) events.resync();
    if (event.name === 'message.created' && event.data.message.sender === 'AI' && known.has(event.data.message.id)) {
      this.sentences.finish(event.data.message.id, answerText(event.data.message));
    }
    // Only once another attempt has output: it may fail before that.
    if (event.name === 'message.delta' && voided && !this.store.voided) announce(texts.t('discarded'));
    if (event.name === 'message.created' && event.data.message.session_id === this.id)
      this.announceEnd(event.data.message);
    // A session also ends by deletion; then it can no longer be read.
    if (event.name === 'session.ended' && event.data.session.id === this.id) void this.load(true);
    if (event.name === 'approval.requested' && event.data.approval.session_id === this.id)
      announce(texts.t('said.approval'));
  }

  /** Announces that an answer is incomplete, and why. */
  private announceEnd(message: Message): void {
    const part = partOf(message);
    if (part) announce(texts.t(part === 'cut' ? 'cut' : 'interrupted'));
    if (!failureOf(message)) return;
    const key = `down.${codeOf(message, this.store.placed)}`;
    announce(texts.t(texts.t.has(key) ? key : 'down.provider_network', { name: texts.t('down.ai') }));
  }

  // The stream was connected. Missed events were replayed, or everything is loaded again.
  private opened(continued: boolean, of?: readonly string[]): void {
    if (!continued && !of) this.store.forget();
    if (!continued && (!of || of.includes(this.id))) void this.load(true);
    else if (this.problem !== null || !this.store.session) void this.load();
    void this.outbox.flush();
  }

  private speak(): void {
    for (const [id, text] of this.store.live) this.sentences.grow(id, text.text);
  }

  /** Reloads everything: one load at a time, and once more if requested meanwhile. */
  load(again = false): Promise<void> {
    if (this.reading) this.again ||= again;
    this.reading ??= this.readOnce().finally(() => {
      this.reading = null;
      if (this.again && !this.stopped) {
        this.again = false;
        void this.load();
      }
    });
    return this.reading;
  }

  private async readOnce(): Promise<void> {
    this.store.beginLoad();
    const { replace } = this;
    this.replace = false;
    try {
      const latest = await readLatest(this.id);
      for (const m of latest.messages) if (m.sender === 'AI') this.sentences.catchUp(m.id, answerText(m));
      if (replace) this.rounds.clear();
      this.store.load(latest, replace);
      this.problem = null;
    } catch (thrown) {
      this.store.abandonLoad();
      this.replace ||= replace;
      if (asProblem(thrown).status === 404) this.gone = true;
      else this.problem = thrown;
      this.whenWell(thrown, () => void this.load());
      this.record.notify();
    }
  }

  // Retries after a temporary failure.
  private whenWell(thrown: unknown, ask: () => void): void {
    if (this.stopped || !asProblem(thrown).retryable) return;
    clearTimeout(this.later);
    this.later = setTimeout(ask, pause);
  }

  /** Loads the page before the oldest known message. */
  async loadOlder(): Promise<void> {
    const cursor = this.store.cursor;
    if (cursor === null || this.readingOlder) return;
    this.readingOlder = true;
    this.olderProblem = null;
    this.record.notify();
    try {
      const page = await readMessages(this.id, cursor);
      if (this.store.cursor === cursor) this.store.prepend(page.messages, page.cursor);
    } catch (thrown) {
      this.olderProblem = thrown;
      this.whenWell(thrown, () => void this.loadOlder());
    } finally {
      this.readingOlder = false;
      this.record.notify();
    }
  }

  /** Loads the executions of a round: messages do not contain them. */
  needRound(round: string | undefined): void {
    if (!round || this.rounds.has(round)) return;
    this.rounds.set(
      round,
      readRound(this.id, round).then(
        ({ executions }) => {
          for (const e of executions) if (!this.store.executions.has(e.id)) this.store.executions.set(e.id, e);
          this.record.notify();
        },
        () => {
          this.rounds.delete(round);
        },
      ),
    );
  }

  execution(id: string | undefined): Execution | undefined {
    return id ? this.store.executions.get(id) : undefined;
  }

  /** The API reported another state of the session than the page has: reload it. */
  recheck(thrown: unknown): void {
    const { status } = asProblem(thrown);
    if (status === 404) {
      this.gone = true;
      this.record.notify();
    }
    if (status === 409) void this.load(true);
  }
}
