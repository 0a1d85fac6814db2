// The filter of the list of runs. It is part of the address, so that links can be shared.
export interface Filter {
  automation: string;
  state: string;
  trigger: string;
  since: string;
  until: string;
}

export const all: Filter = { automation: '', state: '', trigger: '', since: '', until: '' };

/** Parses the filter from an address: `/runs/automation=aut_…&state=end:ERROR`. */
export function filterOf(path: string): Filter {
  const asked = new URLSearchParams(path.split('/').slice(2).join('/'));
  return { ...all, ...Object.fromEntries([...asked].filter(([name]) => name in all)) };
}

/** The address of the list with a filter. */
export function addressOf(filter: Partial<Filter>): string {
  const asked = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ''));
  return asked.size ? `/runs/${asked.toString().replaceAll('%3A', ':')}` : '/runs';
}

/** The address of one automation's runs. */
export const runsOf = (automation: string) => addressOf({ automation });

export const underWay = ['running', 'queued', 'requires_action', 'waiting', 'suspended'] as const;
export const ends = ['COMPLETED', 'ERROR', 'TIMEOUT', 'LIMIT_REACHED', 'CANCELLED'] as const;
export const triggers = ['SCHEDULED', 'MANUAL', 'EVENT'] as const;
const notRun = 'DUE,SKIPPED,MISSED,COALESCED,FAILED';

export interface Query {
  automation_id?: string;
  status?: (typeof underWay)[number];
  end_reason?: (typeof ends)[number];
  trigger?: (typeof triggers)[number];
  since?: string;
  until?: string;
  states?: string;
}

// The start of a typed date, in the browser's zone.
function dayStart(text: string, plus: number): string | undefined {
  const [y, m, d] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)?.slice(1).map(Number) ?? [];
  return y ? new Date(y, m! - 1, d! + plus).toISOString() : undefined;
}

/** The query parameters; null if nothing can match. */
export function queriesOf(f: Filter): { runs: Query | null; occurrences: Query | null } {
  const since = dayStart(f.since, 0);
  const until = dayStart(f.until, 1);
  const common: Query = {
    ...(f.automation && { automation_id: f.automation }),
    ...(since && { since }),
    ...(until && { until }),
  };
  const [kind, value] = f.state.split(':');
  const runs: Query = {
    ...common,
    ...(f.trigger && { trigger: f.trigger as Query['trigger'] }),
    ...(kind === 'status' && { status: value as Query['status'] }),
    ...(kind === 'end' && { end_reason: value as Query['end_reason'] }),
  };
  const scheduled = f.trigger === '' || f.trigger === 'SCHEDULED'; // only schedules have occurrences that do not run
  return {
    runs: f.state === 'not_run' ? null : runs,
    occurrences: scheduled && (f.state === '' || f.state === 'not_run') ? { ...common, states: notRun } : null,
  };
}
