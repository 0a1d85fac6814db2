// What comes on the event stream. The shapes of the data are those of openapi.yaml.
import type { Schemas } from '../api/client';

/** The data of an event. Its name stands beside it here, so the type in it is not needed. */
type Data<N extends keyof Schemas> = Omit<Schemas[N], 'type'>;

/** Events that are stored: each has a number, and is replayed to whoever missed it. */
export interface StoredEvents {
  'session.phase': Data<'SessionPhaseData'>;
  'session.created': Data<'SessionCreatedData'>;
  'session.status': Data<'SessionStatusChangedData'>;
  'session.ended': Data<'SessionEndedData'>;
  'message.created': Data<'MessageCreatedData'>;
  'message.updated': Data<'MessageUpdatedData'>;
  'message.deleted': Data<'MessageDeletedData'>;
  'command.planned': Data<'CommandPlannedData'>;
  'command.started': Data<'CommandStartedData'>;
  'command.ended': Data<'CommandEndedData'>;
  'approval.requested': Data<'ApprovalRequestedData'>;
  'approval.settled': Data<'ApprovalSettledData'>;
  'usage.updated': Data<'UsageUpdatedData'>;
  'context.compacted': Data<'ContextCompactedData'>;
  'slot.changed': Data<'SlotChangedData'>;
  'queue.changed': Data<'QueueChangedData'>;
  'automation.changed': Data<'AutomationChangedData'>;
  'occurrence.recorded': Data<'OccurrenceRecordedData'>;
  'data.changed': Data<'DataChangedData'>;
  'task.changed': Data<'TaskChangedData'>;
  'answers.changed': Data<'AnswersChangedData'>;
  notice: Data<'NoticeGivenData'>;
}

/** Events that pass: never stored, without a number. */
export interface PassingEvents {
  'message.delta': Data<'MessageDeltaData'>;
  'message.discarded': Data<'MessageDiscardedData'>;
  'message.snapshot': Data<'MessageSnapshotData'>;
  snapshot: Data<'WorkspaceSnapshotData'>;
  reset: Data<'ResetData'>;
  bye: Data<'ByeData'>;
}

export type Events = StoredEvents & PassingEvents;
export type EventName = keyof Events;

/** One event. `seq` is the workspace's number of a stored one, 0 of one that passes. */
export type StreamEvent = { [N in EventName]: { name: N; seq: number; data: Events[N] } }[EventName];

export const stored: readonly (keyof StoredEvents)[] = [
  'session.phase',
  'session.created',
  'session.status',
  'session.ended',
  'message.created',
  'message.updated',
  'message.deleted',
  'command.planned',
  'command.started',
  'command.ended',
  'approval.requested',
  'approval.settled',
  'usage.updated',
  'context.compacted',
  'slot.changed',
  'queue.changed',
  'automation.changed',
  'occurrence.recorded',
  'data.changed',
  'task.changed',
  'answers.changed',
  'notice',
];
export const passing: readonly (keyof PassingEvents)[] = [
  'message.delta',
  'message.discarded',
  'message.snapshot',
  'snapshot',
  'reset',
  'bye',
];

/** How the connection is, the same in all tabs: `lost` says since when (performance.now()),
 * and whether because the server does not let this key in. */
export type Connection =
  { state: 'connecting' } | { state: 'open' } | { state: 'lost'; since: number; refused?: boolean };

/** Called each time the stream was connected (again). `continued`: nothing was missed, for
 * what happened meanwhile was sent. If not, what was read before may be old: all of it, or
 * what belongs to the sessions in `of`, which are followed only from now on. */
export type Opened = (continued: boolean, of?: readonly string[]) => void;

/** The one stream of events of all tabs, as a tab sees it. */
export interface EventClient {
  /** Every event, in order, each stored one once. Text that streams comes of watched
   * sessions only, without a gap and nothing twice. Returns what ends it. */
  subscribe(handler: (event: StreamEvent) => void): () => void;
  /** Asks for the own events of a session too (phases, messages, deltas), until the end is
   * called. What streams in it just now comes as `message.snapshot`. */
  watch(sessionID: string): () => void;
  /** Streamed text is missing: the whole of it comes again as `message.snapshot`. */
  resync(): void;
  onOpen(handler: Opened): () => void;
  connection(): Connection;
  onConnection(handler: () => void): () => void;
}
