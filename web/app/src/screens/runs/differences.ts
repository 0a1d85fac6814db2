// What a run that is started again will find different from the run before it.
import type { Schemas } from '../../api/client';

type Run = Pick<Schemas['AutomationRun'], 'requested_at'>;
type Segment = Schemas['Segment'];
type Row = Schemas['TimelineLine'];

/** What of a run's first message is sent again: what an event brought is not, its words come from
 * outside and are nobody's here. */
export const ownSegments = (segments: Segment[]): Segment[] => segments.filter((s) => !('from' in s && s.from));

const executions = (rows: Row[]) => rows.flatMap((row) => (row.execution ? [row.execution] : []));

/** The tools that a run has to do with: those its request names, and those it read or changed. */
export function toolsOf(segments: Segment[], rows: Row[]): string[] {
  const ids = [
    ...segments.map((s) => (s.enrichment?.config as { tool_id?: unknown } | undefined)?.tool_id),
    ...executions(rows).map((e) => (e.params as { tool_id?: unknown } | null)?.tool_id),
  ];
  return [...new Set(ids.filter((id): id is string => typeof id === 'string'))];
}

/** How many changes a run has made, which a second one may make again. */
export const changesOf = (rows: Row[]): number =>
  executions(rows).filter((e) => e.kind === 'action' && (e.status === 'SUCCESS' || e.status === 'UNKNOWN')).length;

/** Whether something was changed after the run was asked for. */
export const since = (run: Run, at: string | undefined): boolean =>
  at !== undefined && Date.parse(at) > Date.parse(run.requested_at);

/** Whether a request has times that are read anew: "yesterday" is another day now. */
export const relative = (segments: Segment[]): boolean =>
  segments.some((s) => /"relative"|_DAY|_WEEK|_MONTH|_YEAR/.test(JSON.stringify(s.enrichment?.config ?? null)));
