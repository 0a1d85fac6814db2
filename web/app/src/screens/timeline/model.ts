// A session's record, as rows with a start and an end.
import type { Schemas } from '../../api/client';
import { demoModel } from '../usage/insight';

export type Line = Schemas['TimelineLine'];
export type Approval = Schemas['Approval'];

interface Span {
  key: string;
  at: number;
  /** null: an instant. */
  end: number | null;
  /** It has not ended: its end is the current time. */
  open: boolean;
  /** The end of the bar's lighter part: the first token, or the actual start. */
  mark: number | null;
  round: string | null;
}
export type Item = Span &
  (
    | { kind: 'transition'; transition: Schemas['Transition'] }
    | { kind: 'call'; call: Schemas['RoundtripRecord'] }
    | { kind: 'execution'; execution: Schemas['Execution']; cut: string[] }
    | { kind: 'approval'; approval: Approval }
    | { kind: 'wait'; status: string; phase: string }
  );
export type Kind = Item['kind'];
export const kinds: readonly Kind[] = ['call', 'execution', 'transition', 'approval', 'wait'];

const time = (iso: string) => new Date(iso).getTime();
const maybe = (iso: string | null | undefined) => (iso ? time(iso) : null);

/** Rows ordered by start: the record's own, the questions to people, and the waits between transitions. `now` ends
 * those that have not ended. */
export function itemsOf(lines: Line[], approvals: Approval[], now: number): Item[] {
  const items = lines.map((line) => recorded(line, now)).filter((item) => item !== null);
  const asked = approvals.map((approval): Item => {
    const at = time(approval.created_at);
    const end = maybe(approval.settled_at);
    return {
      kind: 'approval',
      key: approval.id,
      at,
      end: end ?? Math.max(now, at),
      open: end === null,
      mark: null,
      round: approval.round_id ?? null,
      approval,
    };
  });
  return [...items, ...waits(items, asked, now), ...asked].toSorted((a, b) => a.at - b.at);
}

function recorded(line: Line, now: number): Item | null {
  const at = time(line.at);
  const base = { at, round: line.round_id, open: false };
  if (line.transition)
    return {
      ...base,
      kind: 'transition',
      key: `t${line.transition.number}`,
      end: null,
      mark: null,
      transition: line.transition,
    };
  if (line.roundtrip)
    return {
      ...base,
      kind: 'call',
      key: line.roundtrip.id,
      end: time(line.roundtrip.ended_at),
      mark: maybe(line.roundtrip.first_token_at),
      call: line.roundtrip,
    };
  if (!line.execution) return null; // a kind unknown to this page
  const { execution } = line;
  const begun = maybe(execution.created_at) ?? at;
  const ended = maybe(execution.ended_at);
  const going = ended === null && ['PLANNED', 'APPROVED', 'STARTED', 'PENDING'].includes(execution.status);
  return {
    ...base,
    kind: 'execution',
    key: execution.id,
    at: Math.min(at, begun),
    end: ended ?? (going ? Math.max(now, at) : null),
    open: going,
    mark: maybe(execution.started_at),
    execution,
    cut: line.cut ?? [],
  };
}

const waiting = new Set(['requires_action', 'waiting', 'queued', 'suspended']);

/** From a transition into a waiting state until the next one; and the current work. A question with a row of its own
 * is not shown twice. */
function waits(items: Item[], asked: Item[], now: number): Item[] {
  const steps = items.filter((item) => item.kind === 'transition');
  return steps.flatMap((step, i): Item[] => {
    const { status, phase } = step.transition;
    const next = steps[i + 1];
    const working = !next && status === 'running';
    if (!waiting.has(status) && !working) return [];
    if (status === 'requires_action' && asked.some((a) => Math.abs(a.at - step.at) < 2000)) return [];
    return [
      {
        kind: 'wait',
        key: `w${step.transition.number}`,
        at: step.at,
        end: next ? next.at : Math.max(now, step.at),
        open: !next,
        mark: null,
        round: step.round,
        status,
        phase,
      },
    ];
  });
}

/** The active part of a row, which is not idle; a command that waits for approval is. */
export function busy(item: Item): [from: number, to: number] | null {
  if (item.end === null) return null;
  if (item.kind === 'call' || (item.kind === 'wait' && item.status === 'running')) return [item.at, item.end];
  if (item.kind === 'execution' && item.mark !== null) return [item.mark, item.end];
  return null;
}

export const failed = (item: Item): boolean =>
  (item.kind === 'call' && item.call.outcome !== 'answered' && item.call.outcome !== 'cut') ||
  (item.kind === 'execution' && ['FAILED', 'UNKNOWN'].includes(item.execution.status));

/** Whether only the demo was called, which is free. */
export function isFree(lines: readonly Line[]): boolean {
  const models = lines.flatMap(({ roundtrip }) => (roundtrip ? [roundtrip.model] : []));
  return models.length > 0 && models.every((model) => model === demoModel);
}
