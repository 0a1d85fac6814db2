import type { Schemas } from '../api/client';
import { usePreview } from '../schedule/preview';
import { equal, isFields, type Fields } from '../ui/schemaform/types';
import { createAutomation, scheduleIn } from './automationParams';
import { Diff } from './Diff';
import { useClock } from './Foresight';

/** What a person changed of an action before they approved it. */
export function Edited({ action, edit }: { action: Schemas['ApprovalAction']; edit: unknown }) {
  if (action.command !== createAutomation || !isFields(action.params) || !isFields(edit))
    return <Diff before={action.params} after={edit} />;
  return <EditedAutomation before={action.params} after={edit} />;
}

/** Schedules are compared by their text, not by their notation. */
function EditedAutomation({ before, after }: { before: Fields; after: Fields }) {
  const same = equal(before.schedule, after.schedule);
  const was = useWords(same ? null : before);
  const will = useWords(same ? null : after);
  const said = (params: Fields, words: string | undefined) => {
    const { schedule: _, ...rest } = params;
    return same || words === undefined ? rest : { ...rest, schedule: words };
  };
  const both = was !== undefined && will !== undefined;
  return <Diff before={said(before, both ? was : undefined)} after={said(after, both ? will : undefined)} />;
}

function useWords(params: Fields | null): string | undefined {
  const clock = useClock();
  return usePreview(params && scheduleIn(params, clock), { count: 1 }).data?.description;
}
