import { asProblem } from '../../../api/problem';
import { useAction } from '../../../ui/action';
import { ProblemBox } from '../../../ui/Problem';
import { texts } from '../texts';

interface Props {
  thrown: unknown;
  load: () => Promise<unknown>;
}

/** The error of a save. After a conflict it offers to load the stored version; local edits are kept. */
export function SaveProblem({ thrown, load }: Props) {
  const t = texts.use();
  const action = useAction(load);
  if (thrown == null) return null;
  if (asProblem(thrown).code !== 'precondition_failed') return <ProblemBox thrown={thrown} />;
  return (
    <div className="box warn stack tight" role="alert" data-code="precondition_failed">
      <p>
        <strong>{t('stale.title')}</strong> {t('stale.text')}
      </p>
      {action.problem != null && <ProblemBox thrown={action.problem} />}
      <p>
        <button type="button" className="small" disabled={action.busy} onClick={() => void action.run()}>
          {t('stale.load')}
        </button>
      </p>
    </div>
  );
}
