/** Decides which tab leads. */
export interface Election {
  /** Whoever was elected is the only one, whatever others say. */
  readonly sovereign: boolean;
  /** This tab is ready to lead. */
  enter(): void;
  /** It does not want to any more, and gives up the lead if it has it. */
  leave(): void;
  /** The leader does not answer. */
  takeOver(): void;
  /** The leader said that it goes. */
  vacant(): void;
  /** Somebody else leads. */
  led(): void;
  /** Another tab wants to lead. */
  claimed(term: number, tab: string, hidden: boolean): void;
}

export interface Elected {
  won(): void;
  lost(): void;
}

/** By a lock of the browser: it passes on by itself when a tab closes or crashes. */
export class ByLock implements Election {
  readonly sovereign = true;
  private turn = 0;
  private waiting: AbortController | null = null;
  private release: (() => void) | null = null;
  private again: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private locks: Pick<LockManager, 'request'>,
    private name: string,
    private elected: Elected,
  ) {}

  enter(): void {
    this.request(false);
  }

  /** Takes the lock from a tab that is frozen with it. */
  takeOver(): void {
    if (!this.release) this.request(true);
  }

  leave(): void {
    this.turn++;
    clearTimeout(this.again);
    this.waiting?.abort();
    this.waiting = null;
    this.release?.();
    this.release = null;
  }

  vacant(): void {
    /* the lock comes by itself */
  }
  led(): void {
    /* the lock decides */
  }
  claimed(): void {
    /* the lock decides */
  }

  private request(steal: boolean): void {
    this.leave();
    const turn = this.turn;
    const waiting = (this.waiting = new AbortController());
    const hold = (): Promise<void> | undefined => {
      if (turn !== this.turn) return undefined;
      const held = new Promise<void>((release) => {
        this.release = release;
      });
      this.elected.won();
      return held;
    };
    this.locks.request(this.name, steal ? { steal: true } : { signal: waiting.signal }, hold).catch(() => {
      if (turn !== this.turn) return; // given up by ourselves
      const had = this.release !== null;
      this.release = null;
      if (had) this.elected.lost(); // another tab took it
      this.again = setTimeout(() => this.request(false), had ? 0 : 1000);
    });
  }
}

/** What a claim needs of the tab. */
export interface Voter extends Elected {
  readonly tab: string;
  hidden(): boolean;
  random(): number;
  /** The highest term that was heard of. */
  term(): number;
  claim(term: number): void;
}

const window = 150; // milliseconds in which a better claim may come
const first = 80; // so long a leader has to answer a tab that is new
const turnOf = 600; // so long whoever has the better claim has to take the lead

/** Among the tabs themselves, where the browser has no locks (a page over plain http). Two
 * may lead for a moment; the one of the higher term stays. */
export class ByClaim implements Election {
  readonly sovereign = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private mine: number | null = null; // the term of our own claim
  private in = false;

  constructor(private voter: Voter) {}

  enter(): void {
    this.in = true;
    this.wait(first);
  }

  leave(): void {
    this.in = false;
    this.mine = null;
    clearTimeout(this.timer);
  }

  vacant(): void {
    this.wait(0);
  }
  takeOver(): void {
    if (this.mine === null) this.claim();
  }

  led(): void {
    this.mine = null;
    clearTimeout(this.timer);
  }

  claimed(term: number, tab: string, hidden: boolean): void {
    if (!this.in) return;
    if (
      this.mine !== null &&
      !better({ term, tab, hidden }, { term: this.mine, tab: this.voter.tab, hidden: this.voter.hidden() })
    )
      return;
    this.mine = null;
    this.wait(turnOf); // it leads soon, or else we try
  }

  /** Visible tabs come first: the timers of others may be slow. */
  private wait(ms: number): void {
    if (!this.in || this.mine !== null) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.claim(), ms + 60 * this.voter.random() + (this.voter.hidden() ? 400 : 0));
  }

  private claim(): void {
    if (!this.in) return;
    clearTimeout(this.timer);
    this.mine = this.voter.term() + 1;
    this.voter.claim(this.mine);
    this.timer = setTimeout(() => {
      this.mine = null;
      this.voter.won();
    }, window);
  }
}

interface Wish {
  term: number;
  tab: string;
  hidden: boolean;
}

function better(a: Wish, b: Wish): boolean {
  if (a.hidden !== b.hidden) return b.hidden;
  return a.term !== b.term ? a.term > b.term : a.tab < b.tab;
}

/** Of a tab that is alone, because it cannot speak with others. */
export class Alone implements Election {
  readonly sovereign = true;
  constructor(private elected: Elected) {}
  enter(): void {
    this.elected.won();
  }
  leave(): void {
    /* nobody waits for the lead */
  }
  takeOver(): void {
    /* there is nobody to take it from */
  }
  vacant(): void {
    /* never said */
  }
  led(): void {
    /* never said */
  }
  claimed(): void {
    /* never said */
  }
}
