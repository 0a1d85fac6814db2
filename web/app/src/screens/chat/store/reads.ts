// The reads of a round, which the record shows as one line; changes are shown one by one.
import type { Execution, Message } from './sessionStore';

/** The reads of one round: finished and running. */
export interface Reads {
  round: string;
  messages: Message[];
  running: Execution[];
}

const elsewhere = new Set<string>(['PENDING', 'UNKNOWN', 'CANCELLED']);

/** Whether a message only reports reads. External work and unknown outcomes are shown separately. */
export function isRead(m: Message): boolean {
  const said = m.system_message;
  const results = said?.command_results ?? [];
  return (
    said?.type === 'DATA_ADDED' &&
    results.length > 0 &&
    results.every((r) => !elsewhere.has(r.status) && !r.command.startsWith('AGENT.'))
  );
}

/** The total duration in milliseconds; null until that of each is known. */
export function tookOf(executions: readonly (Execution | undefined)[]): number | null {
  let sum = 0;
  for (const e of executions) {
    if (!e?.started_at || !e.ended_at) return null;
    sum += Math.max(0, Date.parse(e.ended_at) - Date.parse(e.started_at));
  }
  return sum;
}
