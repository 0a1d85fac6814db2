// The health of an automation: the start of its row, and the recommended action.
import type { Schemas } from '../../../api/client';
import { hasEnded, outcomeOf } from '../../runs/outcome';

type Automation = Schemas['Automation'];
export type Health = 'well' | 'paused' | 'stopped' | 'failing' | 'no_provider';

const inARow = 2; // a single failure is normal; two in a row need attention

/** A deleted provider comes first: nothing can run. `providers` is undefined while it is loading. */
export function healthOf(
  a: Automation,
  runs: Schemas['AutomationRun'][],
  providers: Pick<Schemas['Provider'], 'id'>[] | undefined,
): Health {
  if (a.provider_id && providers && !providers.some((p) => p.id === a.provider_id)) return 'no_provider';
  if (!a.enabled) return a.disabled_reason ? 'stopped' : 'paused';
  const ended = runs.filter(hasEnded).slice(0, inARow);
  return ended.length === inARow && ended.every((run) => outcomeOf(run).tone === 'bad') ? 'failing' : 'well';
}
