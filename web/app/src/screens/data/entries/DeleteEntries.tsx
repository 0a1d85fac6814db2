import { api, type Schemas } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { useAction } from '../../../ui/action';
import { ProblemBox } from '../../../ui/Problem';
import { wasDeleted } from '../undo/deleted';
import { toolTexts } from '../toolTexts';

/** Deletes entries and records the deleted ones, also if it fails midway. */
export async function deleteEntries(tool: Schemas['Tool'], entries: Pick<Schemas['Entry'], 'id'>[]): Promise<void> {
  const gone: string[] = [];
  try {
    for (const { id } of entries) {
      await api.DELETE('/v1/entries/{entry_id}', { params: { path: { entry_id: id } } }).catch((thrown: unknown) => {
        if (asProblem(thrown).status !== 404) throw thrown; // already deleted by another client
      });
      gone.push(id);
    }
  } finally {
    if (gone.length) wasDeleted('entry', gone, tool.name);
  }
}

interface Props {
  tool: Schemas['Tool'];
  entries: Schemas['Entry'][];
  onDone: () => void;
}

/** Deletes the selected entries. */
export function DeleteChosen({ tool, entries, onDone }: Props) {
  const t = toolTexts.use();
  const action = useAction(async () => {
    await deleteEntries(tool, entries);
    onDone();
  });
  return (
    <>
      {entries.length > 0 && (
        <button type="button" className="danger small" disabled={action.busy} onClick={() => void action.run()}>
          {t('delete.some', { n: entries.length })}
        </button>
      )}
      {action.problem != null && <ProblemBox thrown={action.problem} onClose={action.clear} />}
    </>
  );
}
