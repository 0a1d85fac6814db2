import { useCallback, useRef, useState } from 'react';

export interface Action<A extends unknown[]> {
  run: (...args: A) => Promise<boolean>;
  /** While it runs; a second call meanwhile is ignored. */
  busy: boolean;
  /** What the last run threw; null when it went well. */
  problem: unknown;
  clear: () => void;
}

/** Something that a control does: busy while it lasts, with the problem to show beside it
 * (`<ProblemBox thrown={action.problem} />`). `run` says whether it went well. */
export function useAction<A extends unknown[]>(act: (...args: A) => Promise<unknown>): Action<A> {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const running = useRef(false);
  const run = async (...args: A) => {
    if (running.current) return false;
    running.current = true;
    setBusy(true);
    setProblem(null);
    try {
      await act(...args);
      return true;
    } catch (thrown) {
      setProblem(thrown);
      return false;
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { run, busy, problem, clear: useCallback(() => setProblem(null), []) };
}
