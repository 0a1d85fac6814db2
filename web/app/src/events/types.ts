// The events of the stream. Their data has the shapes of openapi.yaml.
import type { Schemas } from '../api/client';

/** The data of an event without its type, which is `name` here. */
type Data<N extends keyof Schemas> = Omit<Schemas[N], 'type'>;

/** Stored events: each has a number and is replayed to clients that missed it. */
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

/** Transient events: not stored, without a number. */
export interface PassingEvents {
  'message.delta': Data<'MessageDeltaData'>;
  'message.discarded': Data<'MessageDiscardedData'>;
  'message.snapshot': Data<'MessageSnapshotData'>;
  snapshot: Data<'WorkspaceSnapshotData'>;
  reset: Data<'ResetData'>;
  bye: Data<'ByeData'>;
  'token.expired': Data<'TokenExpiredData'>;
}

export type Events = StoredEvents & PassingEvents;
export type EventName = keyof Events;

/** One event. `seq` is its number in the workspace, 0 for a transient one. */
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
  'token.expired',
];

/** The state of the connection, the same in all tabs. `lost` has the time since when (performance.now()), and whether
 * the key was refused. */
export type Connection =
  { state: 'connecting' } | { state: 'open' } | { state: 'lost'; since: number; refused?: boolean };

/** Called each time the stream was connected. `continued`: nothing was missed, because missed events were replayed.
 * Otherwise what was read before may be stale: everything, or what belongs to the sessions in `of`, which are
 * followed only from now on. */
export type Opened = (continued: boolean, of?: readonly string[]) => void;

/** The one event stream of all tabs, as seen by a tab. */
export interface EventClient {
  /** Subscribes to every event, in order, each stored one once. Streamed text is delivered for watched sessions only,
   * without gaps or repetitions. Returns a function that ends the subscription. */
  subscribe(handler: (event: StreamEvent) => void): () => void;
  /** Also subscribes to the events of a session (phases, messages, deltas) until the returned function is called.
   * Text that is streaming already arrives as `message.snapshot`. */
  watch(sessionID: string): () => void;
  /** Streamed text is missing: all of it is sent again as `message.snapshot`. */
  resync(): void;
  onOpen(handler: Opened): () => void;
  connection(): Connection;
  onConnection(handler: () => void): () => void;
}
