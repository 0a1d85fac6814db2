// The outcome of a run: a tone and an icon. The words are in texts.ts.
import type { Schemas } from '../../api/client';

export type Tone = 'ok' | 'warn' | 'bad' | 'accent' | '';
export interface Outcome {
  name: string;
  tone: Tone;
  sign: string;
}
type Run = Pick<Schemas['Session'], 'status' | 'end_reason'>;

const ends: Record<string, [Tone, string]> = {
  COMPLETED: ['ok', '✓'],
  LIMIT_REACHED: ['bad', '!'],
  ERROR: ['bad', '✕'],
  TIMEOUT: ['bad', '✕'],
  CANCELLED: ['', '–'],
};
const underWay: Record<string, [Tone, string]> = {
  queued: ['', '…'],
  running: ['accent', '▸'],
  requires_action: ['warn', '?'],
  waiting: ['', '…'],
  suspended: ['', '‖'],
  idle: ['', '…'],
};

/** The name is the end reason of a run that has ended, else its status. */
export function outcomeOf(run: Run): Outcome {
  const ended = run.status === 'ended';
  const name = ended ? (run.end_reason ?? 'ended') : run.status;
  const [tone, sign] = (ended ? ends : underWay)[name] ?? ['', '•'];
  return { name, tone, sign };
}

export const hasEnded = (run: Run) => run.status === 'ended';

export interface Sums {
  count: number;
  duration: number | null;
  cost: number | null;
}
type Done = Pick<Schemas['AutomationRun'], 'status' | 'end_reason' | 'duration_ms' | 'usage'>;

/** The averages of completed runs. The cost is known only for models with a price. */
export function meansOf(runs: Done[]): Sums {
  const ended = runs.filter(hasEnded);
  const mean = (all: (number | null | undefined)[]) => {
    const known = all.filter((n): n is number => typeof n === 'number');
    return known.length ? known.reduce((a, b) => a + b, 0) / known.length : null;
  };
  return {
    count: ended.length,
    duration: mean(ended.map((r) => r.duration_ms)),
    cost: mean(ended.map((r) => r.usage.cost?.amount)),
  };
}
