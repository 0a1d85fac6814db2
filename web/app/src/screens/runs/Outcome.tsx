import type { Schemas } from '../../api/client';
import { outcomeOf } from './outcome';
import { texts } from './texts';

type Run = Pick<Schemas['Session'], 'status' | 'end_reason'>;

export function useOutcomeWords() {
  const t = texts.use();
  return (run: Run): string => {
    const { name } = outcomeOf(run);
    const key = `outcome.${name}`;
    return t.has(key) ? t(key) : name;
  };
}

/** What became of a run, or where it is, in words. */
export function OutcomeBadge({ run }: { run: Run }) {
  const words = useOutcomeWords();
  const { tone, sign, name } = outcomeOf(run);
  return <span className={`badge ${tone}`} data-outcome={name}><span aria-hidden="true">{sign} </span>{words(run)}</span>;
}

export function useTriggerWords() {
  const t = texts.use();
  return (trigger: string | null | undefined): string => {
    const key = `trigger.${trigger}`;
    return t.has(key) ? t(key) : trigger ?? '';
  };
}
