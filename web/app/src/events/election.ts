/** Decides which tab leads. */
export interface Election {
  /** Whether the browser guarantees a single leader. */
  readonly exclusive: boolean;
  /** This tab is ready to lead. */
  enter(): void;
  /** This tab stops being a candidate, and gives up the lead if it has it. */
  leave(): void;
  /** The leader does not answer. */
  takeOver(): void;
  /** The leader announced that it leaves. */
  leaderLeft(): void;
  /** Another tab leads. */
  otherLeads(): void;
  /** Another tab wants to lead. */
  claimed(term: number, tab: string, hidden: boolean): void;
}

export interface Elected {
  won(): void;
  lost(): void;
}

/** Election by a lock of the browser (Web Locks), which is released when a tab closes or crashes. */
export class ByLock implements Election {
  readonly exclusive = true;
  private attempt = 0;
  private waiting: AbortController | null = null;
  private release: (() => void) | null = null;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private locks: Pick<LockManager, 'request'>,
    private name: string,
    private elected: Elected,
  ) {}

  enter(): void {
    this.request(false);
  }

  /** Steals the lock from a frozen tab. */
  takeOver(): void {
    if (!this.release) this.request(true);
  }

  leave(): void {
    this.attempt++;
    clearTimeout(this.retryTimer);
    this.waiting?.abort();
    this.waiting = null;
    this.release?.();
    this.release = null;
  }

  leaderLeft(): void {
    /* the lock is granted automatically */
  }
  otherLeads(): void {
    /* the lock decides */
  }
  claimed(): void {
    /* the lock decides */
  }

  private request(steal: boolean): void {
    this.leave();
    const attempt = this.attempt;
    const waiting = (this.waiting = new AbortController());
    const hold = (): Promise<void> | undefined => {
      if (attempt !== this.attempt) return undefined;
      const held = new Promise<void>((release) => {
        this.release = release;
      });
      this.elected.won();
      return held;
    };
    this.locks.request(this.name, steal ? { steal: true } : { signal: waiting.signal }, hold).catch(() => {
      if (attempt !== this.attempt) return; // cancelled by this tab
      const had = this.release !== null;
      this.release = null;
      if (had) this.elected.lost(); // another tab took it
      this.retryTimer = setTimeout(() => this.request(false), had ? 0 : 1000);
    });
  }
}

/** What an election by claims needs of the tab. */
export interface Claimant extends Elected {
  readonly tab: string;
  hidden(): boolean;
  random(): number;
  /** The highest known term. */
  term(): number;
  claim(term: number): void;
}

const claimWindow = 150; // milliseconds in which a better claim may arrive
const firstWait = 80; // time for a leader to answer a new tab
const leadWithin = 600; // time for the better candidate to take the lead

/** Election by messages between tabs, for browsers without locks (a page over plain http). Two tabs may lead for a
 * moment; the one with the higher term stays. */
export class ByClaim implements Election {
  readonly exclusive = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private ownTerm: number | null = null; // the term of our own claim
  private in = false;

  constructor(private claimant: Claimant) {}

  enter(): void {
    this.in = true;
    this.wait(firstWait);
  }

  leave(): void {
    this.in = false;
    this.ownTerm = null;
    clearTimeout(this.timer);
  }

  leaderLeft(): void {
    this.wait(0);
  }
  takeOver(): void {
    if (this.ownTerm === null) this.claim();
  }

  otherLeads(): void {
    this.ownTerm = null;
    clearTimeout(this.timer);
  }

  claimed(term: number, tab: string, hidden: boolean): void {
    if (!this.in) return;
    if (
      this.ownTerm !== null &&
      !better({ term, tab, hidden }, { term: this.ownTerm, tab: this.claimant.tab, hidden: this.claimant.hidden() })
    )
      return;
    this.ownTerm = null;
    this.wait(leadWithin); // if it does not lead soon, this tab tries
  }

  /** Visible tabs come first: the timers of others may be slow. */
  private wait(ms: number): void {
    if (!this.in || this.ownTerm !== null) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.claim(), ms + 60 * this.claimant.random() + (this.claimant.hidden() ? 400 : 0));
  }

  private claim(): void {
    if (!this.in) return;
    clearTimeout(this.timer);
    this.ownTerm = this.claimant.term() + 1;
    this.claimant.claim(this.ownTerm);
    this.timer = setTimeout(() => {
      this.ownTerm = null;
      this.claimant.won();
    }, claimWindow);
  }
}

interface Candidate {
  term: number;
  tab: string;
  hidden: boolean;
}

function better(a: Candidate, b: Candidate): boolean {
  if (a.hidden !== b.hidden) return b.hidden;
  return a.term !== b.term ? a.term > b.term : a.tab < b.tab;
}

/** Election for a tab that cannot reach other tabs: it always leads. */
export class Alone implements Election {
  readonly exclusive = true;
  constructor(private elected: Elected) {}
  enter(): void {
    this.elected.won();
  }
  leave(): void {
    /* there is no other candidate */
  }
  takeOver(): void {
    /* there is no other leader */
  }
  leaderLeft(): void {
    /* never said */
  }
  otherLeads(): void {
    /* never said */
  }
  claimed(): void {
    /* never said */
  }
}
