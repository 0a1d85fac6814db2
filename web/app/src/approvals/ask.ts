import type { Answer, Approval } from './decide';

/** What each kind of question is given: the approval, and how to answer it. */
export interface AskProps {
  approval: Approval;
  busy: boolean;
  /** Sends the answer; true when it was taken. */
  decide: (answer: Answer) => Promise<boolean>;
  /** What the server found wrong with the answer. */
  problem: unknown;
}
