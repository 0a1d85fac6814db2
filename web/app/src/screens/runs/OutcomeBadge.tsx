import type { Schemas } from '../../api/client';
import { useWords } from '../../ui/session';
import { hasEnded, outcomeOf } from './outcome';

type Run = Pick<Schemas['Session'], 'status' | 'end_reason'>;

/** What became of a run, or where it is, in words. */
export function useOutcomeWords() {
  const words = useWords();
  return (run: Run): string =>
    hasEnded(run) && run.end_reason ? words.ended(run.end_reason) : words.status(run.status);
}

/** The same as a badge, with a sign beside its colour. */
export function OutcomeBadge({ run }: { run: Run }) {
  const words = useOutcomeWords();
  const { tone, sign, name } = outcomeOf(run);
  return (
    <span className={`badge ${tone}`} data-outcome={name}>
      <span aria-hidden="true">{sign} </span>
      {words(run)}
    </span>
  );
}
