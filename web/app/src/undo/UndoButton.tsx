import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api/client';
import { announce } from '../shell/announce';
import { useAction } from '../ui/action';
import { ProblemBox } from '../ui/Problem';
import { texts } from './texts';
import { ChangedSince, keepUndone, NothingBefore, undoOf, wasUndone } from './undo';

/** Undoes the change of one command; nothing if that is not possible. */
export function UndoButton({ execution }: { execution: Schemas['Execution'] }) {
  const t = texts.use();
  const queries = useQueryClient();
  const [done, setDone] = useState(() => wasUndone(execution.id));
  const undo = undoOf(execution);
  const action = useAction(async () => {
    await undo!();
    keepUndone(execution.id);
    setDone(true);
    announce(t('done'));
    void queries.invalidateQueries();
  });
  if (!undo) return null;
  if (done)
    return (
      <span className="muted small" data-undone="">
        {t('done')}
      </span>
    );
  return (
    <>
      <button
        type="button"
        className="plain small"
        data-act="undo"
        disabled={action.busy}
        onClick={() => void action.run()}
      >
        {t('undo')}
      </button>
      {action.problem instanceof ChangedSince || action.problem instanceof NothingBefore ? (
        <p role="alert" className="small">
          {t(action.problem instanceof ChangedSince ? 'since' : 'first')}
        </p>
      ) : (
        action.problem != null && <ProblemBox thrown={action.problem} onClose={action.clear} />
      )}
    </>
  );
}
