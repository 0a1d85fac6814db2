import type { ReactNode } from 'react';
import { useAction } from './action';
import { Dialog } from './Dialog';
import { ProblemBox } from './Problem';
import { texts } from './texts';

interface Props {
  title: string;
  children?: ReactNode;
  yes: string;
  danger?: boolean;
  act: () => Promise<unknown>;
  onClose: () => void;
}

/** Confirms an action that is hard to undo. It stays open on failure. */
export function Confirm({ title, children, yes, danger, act, onClose }: Props) {
  const t = texts.use();
  const action = useAction(act);
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {action.problem != null && <ProblemBox thrown={action.problem} />}
      <div className="row">
        <button
          type="button"
          className={danger ? 'danger' : 'primary'}
          disabled={action.busy}
          onClick={async () => {
            if (await action.run()) onClose();
          }}
        >
          {yes}
        </button>
        <button type="button" onClick={onClose}>
          {t('cancel')}
        </button>
      </div>
    </Dialog>
  );
}
