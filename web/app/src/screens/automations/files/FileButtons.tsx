import { useState } from 'react';
import { api, body } from '../../../api/client';
import { useAction } from '../../../ui/action';
import { ProblemBox } from '../../../ui/Problem';
import { allAutomations } from './allAutomations';
import type { Automation } from '../draft/draft';
import { exported, fileName } from './fileFormat';
import { ImportDialog } from './ImportDialog';
import { texts } from '../texts';

function download(name: string, text: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Exports automations to a file that can be imported here or elsewhere. The caller shows errors: a menu that closes
 * would hide them. */
export const useExport = (automations?: Automation[]) =>
  useAction(async () => {
    const chosen = automations ?? (await allAutomations());
    const file = { automations: [] as unknown[] };
    for (const a of chosen)
      file.automations.push(
        exported(
          a,
          await body(api.GET('/v1/automations/{automation_id}/seed', { params: { path: { automation_id: a.id } } })),
        ),
      );
    download(fileName(chosen, new Date().toISOString().slice(0, 10)), `${JSON.stringify(file, null, 2)}\n`);
  });

export function ExportButton() {
  const t = texts.use();
  const save = useExport();
  return (
    <>
      <button type="button" className="plain" disabled={save.busy} onClick={() => void save.run()}>
        {t('export.all')}
      </button>
      {save.problem != null && <ProblemBox thrown={save.problem} onClose={save.clear} />}
    </>
  );
}

export function ImportButton() {
  const t = texts.use();
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="plain" onClick={() => setOpen(true)}>
        {t('import')}
      </button>
      {open && <ImportDialog onClose={() => setOpen(false)} />}
    </>
  );
}
