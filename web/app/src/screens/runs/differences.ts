// What a repeated run will find different from the original.
import type { Schemas } from '../../api/client';

type Run = Pick<Schemas['AutomationRun'], 'requested_at'>;
type Segment = Schemas['Segment'];
type Row = Schemas['TimelineLine'];

/** The parts of a run's first message that are sent again: content from an event is not, because it is external. */
export const ownSegments = (segments: Segment[]): Segment[] => segments.filter((s) => !('from' in s && s.from));

const executions = (rows: Row[]) => rows.flatMap((row) => (row.execution ? [row.execution] : []));

/** The tools of a run: those its request names, and those it read or changed. */
export function toolsOf(segments: Segment[], rows: Row[]): string[] {
  const ids = [
    ...segments.map((s) => (s.enrichment?.config as { tool_id?: unknown } | undefined)?.tool_id),
    ...executions(rows).map((e) => (e.params as { tool_id?: unknown } | null)?.tool_id),
  ];
  return [...new Set(ids.filter((id): id is string => typeof id === 'string'))];
}

/** The number of changes that a run made, which a second one may repeat. */
export const changesOf = (rows: Row[]): number =>
  executions(rows).filter((e) => e.kind === 'action' && (e.status === 'SUCCESS' || e.status === 'UNKNOWN')).length;

/** Whether an object was changed after the run was requested. */
export const since = (run: Run, at: string | undefined): boolean =>
  at !== undefined && Date.parse(at) > Date.parse(run.requested_at);

/** Whether a request has relative times: "yesterday" is a different day now. */
export const relative = (segments: Segment[]): boolean =>
  segments.some((s) => /"relative"|_DAY|_WEEK|_MONTH|_YEAR/.test(JSON.stringify(s.enrichment?.config ?? null)));
