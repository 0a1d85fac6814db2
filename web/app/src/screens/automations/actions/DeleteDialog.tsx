import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, type Schemas } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { announce } from '../../../shell/announce';
import { Confirm } from '../../../ui/Confirm';
import { texts } from '../texts';

interface Props {
  of: Schemas['Automation'];
  onClose: () => void;
  onDeleted?: () => void;
}

/** Confirms the deletion of an automation, with a second confirmation while a run is active. */
export function DeleteDialog({ of: a, onClose, onDeleted }: Props) {
  const t = texts.use();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false); // a run is active
  const gone = useRef(false);
  // The element that opened the dialog is removed with the automation: the focus moves to the title.
  useEffect(
    () => () => {
      if (gone.current) setTimeout(() => document.getElementById('page-title')?.focus(), 0);
    },
    [],
  );
  const remove = async () => {
    try {
      await api.DELETE('/v1/automations/{automation_id}', {
        params: { path: { automation_id: a.id }, query: { force: busy } },
      });
    } catch (thrown) {
      if (asProblem(thrown).code === 'session_busy') setBusy(true);
      throw thrown;
    }
    announce(t('deleted', { name: a.name.slice(0, 100) }));
    gone.current = true;
    onDeleted?.();
    await queries.invalidateQueries({ queryKey: ['get', '/v1/automations'] });
  };
  return (
    <Confirm title={t('delete.title')} yes={t(busy ? 'delete.anyway' : 'delete')} danger act={remove} onClose={onClose}>
      <p>{t('delete.text', { name: a.name.length > 200 ? `${a.name.slice(0, 200)}…` : a.name })}</p>
      {busy && <p className="box warn">{t('delete.force')}</p>}
    </Confirm>
  );
}
