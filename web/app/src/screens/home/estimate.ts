// Estimates the wait of queued runs from the durations of past ones.
import type { Schemas } from '../../api/client';

type Run = Pick<Schemas['AutomationRun'], 'automation_id' | 'duration_ms' | 'end_reason'>;
type Session = Pick<Schemas['Session'], 'type' | 'automation_id'>;

/** The typical duration of each automation's runs: the median of the last completed ones, so that one that waited a
 * night for a person has little weight. */
export function usual(runs: readonly Run[]): Map<string, number> {
  const lengths = new Map<string, number[]>();
  for (const { automation_id, duration_ms, end_reason } of runs)
    if (duration_ms !== null && end_reason === 'COMPLETED')
      lengths.set(automation_id, [...(lengths.get(automation_id) ?? []), duration_ms]);
  return new Map(
    [...lengths].map(([id, all]) => {
      const sorted = all.toSorted((a, b) => a - b);
      return [id, sorted[Math.floor((sorted.length - 1) / 2)]!];
    }),
  );
}

/** The wait of each row in milliseconds: the rest of the active session, plus the rows before it. Null from the first
 * row whose duration is unknown (a chat has no typical duration). */
export function waits(
  holder: (Session & { since: number | null }) | null,
  rows: readonly (Session | null)[],
  takes: ReadonlyMap<string, number>,
  now: number,
): (number | null)[] {
  const of = (s: Session | null) =>
    s?.type === 'AUTOMATION' && s.automation_id !== null ? (takes.get(s.automation_id) ?? null) : null;
  let sum: number | null = 0;
  if (holder) {
    const whole = of(holder);
    sum = whole === null || holder.since === null ? null : Math.max(0, whole - (now - holder.since));
  }
  return rows.map((row) => {
    const wait = sum;
    const own = of(row);
    sum = sum === null || own === null ? null : sum + own;
    return wait;
  });
}
