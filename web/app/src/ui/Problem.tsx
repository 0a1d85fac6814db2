import { asProblem } from '../api/problem';
import { texts } from './texts';

interface Props {
  thrown: unknown;
  onRetry?: () => void;
  onClose?: () => void;
}

/** An error: what happened, what became of the change, what to do, and the number to quote. */
export function ProblemBox({ thrown, onRetry, onClose }: Props) {
  const t = texts.use();
  const problem = asProblem(thrown);
  const code = `code.${problem.code}`;
  const title = t.has(code) ? t(code) : problem.detail || t('problem.title');
  const outcome = problem.outcome && `problem.${problem.outcome}`;
  return (
    <div className="box bad stack tight" role="alert" data-code={problem.code}>
      <p>
        <strong>{title}</strong>
        {outcome && t.has(outcome) && ` ${t(outcome)}`}
        {problem.retryAfter > 0
          ? ` ${t('problem.retryAfter', { n: problem.retryAfter })}`
          : problem.retryable && ` ${t('problem.retryable')}`}
      </p>
      {problem.errors.length > 0 && (
        <ul>
          {problem.errors.map((e) => (
            <li key={e.pointer + e.code}>
              {e.pointer && <code>{e.pointer}</code>} {e.message}
            </li>
          ))}
        </ul>
      )}
      {t.has(code) && problem.detail && <p className="small">{problem.detail}</p>}
      {problem.requestID && (
        <p className="small">
          {t('problem.request')} <code>{problem.requestID}</code>
        </p>
      )}
      {(onRetry || onClose) && (
        <p className="row">
          {onRetry && (
            <button type="button" className="small" onClick={onRetry}>
              {t('retry')}
            </button>
          )}
          {onClose && (
            <button type="button" className="small" onClick={onClose}>
              {t('close')}
            </button>
          )}
        </p>
      )}
    </div>
  );
}
