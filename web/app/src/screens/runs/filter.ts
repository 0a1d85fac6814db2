// What the list of runs shows. It is kept for the tab: the address has no room for it.
export interface Filter { automation: string; state: string; trigger: string; since: string; until: string }

export const all: Filter = { automation: '', state: '', trigger: '', since: '', until: '' };
const name = 'fermata.runs.filter';

export function readFilter(): Filter {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(name) ?? '{}');
    const known = Object.entries(kept as object).filter(([k, v]) => k in all && typeof v === 'string');
    return { ...all, ...Object.fromEntries(known) };
  } catch { return all; }
}

export function keepFilter(filter: Filter): void {
  try { sessionStorage.setItem(name, JSON.stringify(filter)); } catch { /* it holds until the screen is left */ }
}

/** To be called before the list of runs is shown: those of one automation. */
export const showRunsOf = (automation: string) => keepFilter({ ...all, automation });
/** All of them. */
export const showAllRuns = () => keepFilter(all);
