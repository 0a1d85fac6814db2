import { useCallback, useRef, useState } from 'react';

export interface Action<A extends unknown[]> {
  run: (...args: A) => Promise<boolean>;
  /** True while it runs; a second call is ignored meanwhile. */
  busy: boolean;
  /** The error of the last run; null if it succeeded. */
  problem: unknown;
  clear: () => void;
}

/** The action of a control: busy while it runs, with the problem to show beside it (`<ProblemBox
 * thrown={action.problem} />`). `run` returns whether it succeeded. */
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
