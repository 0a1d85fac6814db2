// Small sessions and messages for the tests of this folder.
import type { StreamEvent } from '../../../events/types';
import type { Approval, Execution, Latest, Message, Session } from './sessionStore';

const at = '2026-03-02T07:30:00.000Z';

export const aSession = (more: Partial<Session> = {}): Session => ({
  id: 'ses_1',
  workspace_id: 'default',
  name: 'One',
  type: 'CHAT',
  status: 'idle',
  phase: 'IDLE',
  round_id: null,
  pinned: false,
  external_id: null,
  owner: null,
  visibility: 'workspace',
  parent_session_id: null,
  budgets: { max_tokens_per_round: null, max_cost_per_round: null, max_cost_per_session: null, max_cost_per_day: null },
  holds_slot: true,
  queue_position: null,
  lane: 'workspace',
  waiting_context: null,
  total_roundtrips: 0,
  end_reason: null,
  automation_id: null,
  scheduled_execution_time: null,
  trigger: null,
  provider_id: null,
  model: null,
  require_validation: false,
  usage: {
    input_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    output_tokens: 0,
    reasoning_tokens: 0,
    cost: null,
  },
  last_seq: 10,
  run_epoch: 1,
  last_event_time: at,
  last_user_interaction_time: null,
  created_at: at,
  updated_at: at,
  ...more,
});

export const aMessage = (id: string, seq: number | null, more: Partial<Message> = {}): Message => ({
  id,
  session_id: 'ses_1',
  seq,
  timestamp: at,
  sender: 'USER',
  status: seq === null ? 'queued' : 'stored',
  rich_content: { segments: [{ type: 'text', text: id }], linear_text: id },
  exclude_from_prompt: false,
  ...more,
});

export const anAnswer = (id: string, seq: number, text: string, more: Partial<Message> = {}): Message =>
  aMessage(id, seq, { sender: 'AI', rich_content: undefined, ai_message: { pre_text: text }, ...more });

export const anApproval = (id: string, more: Partial<Approval> = {}): Approval => ({
  id,
  session_id: 'ses_1',
  kind: 'actions',
  status: 'open',
  reasons: [],
  actions: [],
  module: null,
  budget: null,
  response_schema: {},
  expires_at: null,
  created_at: at,
  settled_by: null,
  settled_at: null,
  decision: null,
  ...more,
});

export const anExecution = (id: string, more: Partial<Execution> = {}): Execution => ({
  id,
  session_id: 'ses_1',
  round_id: 'rnd_1',
  call_id: null,
  command: 'TOOL_DATA',
  params: {},
  kind: 'query',
  effect: 'read',
  status: 'STARTED',
  attempt: 1,
  result: null,
  error: null,
  started_at: at,
  ended_at: null,
  ...more,
});

export const latest = (more: Partial<Latest> = {}): Latest => ({
  session: aSession(),
  messages: [],
  cursor: null,
  approvals: [],
  executions: [],
  roundtrip: null,
  ...more,
});

export const created = (seq: number, message: Message): StreamEvent => ({
  name: 'message.created',
  seq,
  data: { session_seq: seq, message },
});
export const phase = (
  seq: number,
  from: Session['phase'],
  to: Session['phase'],
  status: Session['status'] = 'running',
): StreamEvent => ({
  name: 'session.phase',
  seq,
  data: {
    session_id: 'ses_1',
    session_seq: seq,
    from,
    phase: to,
    status,
    event: 'Test',
    round_id: 'rnd_1',
    epoch: 1,
    at: '2026-03-02T07:31:00.000Z',
  },
});
export const delta = (
  id: string,
  offset: number,
  text: string,
  kind: 'text' | 'thinking' | 'arguments' = 'text',
): StreamEvent => ({
  name: 'message.delta',
  seq: 0,
  data: { session_id: 'ses_1', message_id: id, kind, offset, text },
});
export const discarded = (id: string): StreamEvent => ({
  name: 'message.discarded',
  seq: 0,
  data: { session_id: 'ses_1', message_id: id, reason: 'network' },
});
