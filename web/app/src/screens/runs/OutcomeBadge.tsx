import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleQuestionMark,
  CircleStop,
  Clock,
  LoaderCircle,
  type LucideIcon,
} from 'lucide-react';
import type { Schemas } from '../../api/client';
import { Icon } from '../../ui/Icon';
import { useWords } from '../../ui/session';
import { hasEnded, outcomeOf } from './outcome';

type Run = Pick<Schemas['Session'], 'status' | 'end_reason'>;

/** The outcome or current state of a run, in words. */
export function useOutcomeWords() {
  const words = useWords();
  return (run: Run): string =>
    hasEnded(run) && run.end_reason ? words.ended(run.end_reason) : words.status(run.status);
}

const icons: Record<string, LucideIcon> = {
  COMPLETED: CircleCheck,
  ERROR: CircleAlert,
  TIMEOUT: CircleAlert,
  LIMIT_REACHED: CircleAlert,
  CANCELLED: CircleStop,
  running: LoaderCircle,
  requires_action: CircleQuestionMark,
  queued: Clock,
  waiting: Clock,
  suspended: CirclePause,
};

/** The same as a badge, with an icon beside its colour. */
export function OutcomeBadge({ run }: { run: Run }) {
  const words = useOutcomeWords();
  const { tone, name } = outcomeOf(run);
  return (
    <span className={`badge ${tone}`} data-outcome={name}>
      <Icon of={icons[name] ?? CircleDashed} size={14} />
      {words(run)}
    </span>
  );
}
