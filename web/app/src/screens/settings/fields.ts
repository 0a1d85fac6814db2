// The settings, by section. Each value has a JSON pointer into the settings.
export type Kind = 'text' | 'number' | 'check' | 'choice' | 'duration' | 'zone' | 'durations' | 'names' | 'commands';
export interface FieldSpec {
  at: string;
  kind: Kind;
  choices?: readonly string[];
  min?: number;
  max?: number;
}

const choice = (at: string, ...choices: string[]): FieldSpec => ({ at, kind: 'choice', choices });
const duration = (at: string): FieldSpec => ({ at, kind: 'duration' });

export const forms: Record<
  'validation' | 'network' | 'calendar' | 'automations' | 'prompts' | 'told',
  readonly FieldSpec[]
> = {
  validation: [
    { at: '/require_validation', kind: 'check' },
    choice('/automation_validation', 'park', 'refuse', 'allow'),
    duration('/approval_expiry'),
    choice('/approval_on_expiry', 'keep', 'deny'),
    { at: '/mcp_answers', kind: 'check' },
    { at: '/approve_by_text', kind: 'check' },
    { at: '/sensitive_commands', kind: 'commands' },
  ],
  network: [
    choice('/network_retry/policy', 'forever', 'requeue_after_3'),
    { at: '/network_retry/delays', kind: 'durations' },
    { at: '/allowed_hosts', kind: 'names' },
  ],
  calendar: [
    choice('/language', 'en', 'fr'),
    { at: '/time_zone', kind: 'zone' },
    { at: '/day_start_hour', kind: 'number', min: 0, max: 23 },
    choice('/week_start_day', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'),
  ],
  automations: [
    { at: '/chat_preempts', kind: 'check' },
    duration('/chat_eviction_after'),
    duration('/automation_max_wait'),
    duration('/completion_confirmation_delay'),
    duration('/max_inactivity'),
    duration('/max_active_duration'),
    duration('/misfire_grace'),
    choice('/relaunch', 'with_commands', 'on_error_only'),
    { at: '/max_queue_length', kind: 'number', min: 1, max: 100_000 },
    { at: '/max_calls_per_response', kind: 'number', min: 1, max: 100 },
    { at: '/file_budget/bytes', kind: 'number', min: 0, max: 1_000_000_000_000 },
    { at: '/file_budget/count', kind: 'number', min: 0, max: 1_000_000 },
  ],
  prompts: [choice('/prompt_detail', 'minimal', 'normal', 'full'), choice('/after_actions', 'call', 'rest')],
  told: [{ at: '/notifications/show_content', kind: 'check' }],
};

export const counters = [
  'max_autonomous_roundtrips',
  'max_data_query_iterations',
  'max_action_retries',
  'max_format_error_retries',
  'max_commands_per_session',
  'context_budget_tokens',
] as const;
export const amounts = [
  'max_tokens_per_round',
  'max_cost_per_round',
  'max_cost_per_session',
  'max_cost_per_day',
  'max_cost_per_month',
] as const;
/** The values of the preset "strict", in the order of the first four counters. */
export const strict: Record<'chat' | 'automation', readonly number[]> = {
  chat: [10, 3, 3, 3],
  automation: [20, 5, 5, 5],
};
