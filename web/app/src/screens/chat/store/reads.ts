// What a round looked up, which stands in the record as one line; what it changed stands there
// one by one.
import type { Execution, Message } from './sessionStore';

/** All that one round read: what was reported, and what is being read just now. */
export interface Reads {
  round: string;
  messages: Message[];
  running: Execution[];
}

const elsewhere = new Set<string>(['PENDING', 'UNKNOWN', 'CANCELLED']);

/** Whether a message only tells what was read. What goes on elsewhere, or what nobody knows, stands by itself. */
export function isRead(m: Message): boolean {
  const said = m.system_message;
  const results = said?.command_results ?? [];
  return (
    said?.type === 'DATA_ADDED' &&
    results.length > 0 &&
    results.every((r) => !elsewhere.has(r.status) && !r.command.startsWith('AGENT.'))
  );
}

/** How long it took in all, in milliseconds; null while that is not known of each. */
export function tookOf(executions: readonly (Execution | undefined)[]): number | null {
  let sum = 0;
  for (const e of executions) {
    if (!e?.started_at || !e.ended_at) return null;
    sum += Math.max(0, Date.parse(e.ended_at) - Date.parse(e.started_at));
  }
  return sum;
}
