import type { Answer, Approval } from './decide';

/** The props of each kind of approval. */
export interface AskProps {
  approval: Approval;
  busy: boolean;
  /** Sends the answer; true if it was accepted. */
  decide: (answer: Answer) => Promise<boolean>;
  /** The server's errors about the answer. */
  problem: unknown;
}
