// How an automation is: what its row begins with, and what is to be done about it.
import type { Schemas } from '../../../api/client';
import { hasEnded, outcomeOf } from '../../runs/outcome';

type Automation = Schemas['Automation'];
export type Health = 'well' | 'paused' | 'stopped' | 'failing' | 'no_provider';

const inARow = 2; // one failure happens; two in a row want to be looked at

/** A provider that is gone comes first: nothing can run. `providers` is undefined until it is known. */
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
