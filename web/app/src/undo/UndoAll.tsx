import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, type Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import { announce } from '../shell/announce';
import { useAction } from '../ui/action';
import { texts } from './texts';
import { keepUndone, undoOf, wasUndone } from './undo';

type Execution = Schemas['Execution'];

const underWay = new Set(['PLANNED', 'APPROVED', 'STARTED', 'PENDING']);

/** Undoes the changes of an approval, the last one first, as far as possible. Shown once all of them have run. */
export function UndoAll({ approval }: { approval: Schemas['Approval'] }) {
  const t = texts.use();
  const f = useFormat();
  const queries = useQueryClient();
  const { session_id, round_id, actions } = approval;
  const [finished, setFinished] = useState(false);
  const query = $api.useQuery(
    'get',
    '/v1/sessions/{session_id}/timeline',
    { params: { path: { session_id }, query: { round_id, limit: 200 } } },
    { enabled: !!round_id && !finished },
  );
  const ran = (query.data?.data ?? []).flatMap((line) =>
    line.execution && actions.some((a) => a.id === line.execution!.id) ? [line.execution] : [],
  );
  const over = ran.length > 0 && ran.every((e) => !underWay.has(e.status));
  const can = over ? ran.filter((e) => undoOf(e) && !wasUndone(e.id)) : [];
  const done = over ? ran.filter((e) => e.status === 'SUCCESS').length : 0;
  const [failed, setFailed] = useState(0);
  const undo = useAction(async () => {
    const rest: Execution[] = [];
    for (const e of can.toReversed()) {
      try {
        // One after the other: what was created first is undone last.
        // eslint-disable-next-line no-await-in-loop
        await undoOf(e)!();
        keepUndone(e.id);
      } catch {
        rest.push(e);
      }
    }
    setFailed(rest.length);
    setFinished(true);
    announce(t(rest.length ? 'all.partly' : 'done', { n: rest.length }));
    void queries.invalidateQueries();
  });
  if (finished)
    return (
      <span className="small" data-undone="">
        {failed ? t('all.partly', { n: failed }) : t('done')}
      </span>
    );
  if (!can.length) return null;
  return (
    <button type="button" className="small" data-act="undo-all" disabled={undo.busy} onClick={() => void undo.run()}>
      {can.length < done ? t('all.some', { n: f.number(can.length), all: f.number(done) }) : t('undo')}
    </button>
  );
}
