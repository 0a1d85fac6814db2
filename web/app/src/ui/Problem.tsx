import { useRef } from 'react';
import { asProblem } from '../api/problem';
import { problemWords } from './problemWords';
import { ServerText } from './ServerText';
import { texts } from './texts';
import { useReportOnce } from './reportOnce';

interface Props {
  thrown: unknown;
  /** Reloads; for a failed load. */
  onRetry?: () => void;
  onClose?: () => void;
}

/** An error: what happened, whether the change took effect, what to do, and the number to quote. */
export function ProblemBox({ thrown, onRetry, onClose }: Props) {
  const t = texts.use();
  const problem = asProblem(thrown);
  const title = problemWords(problem);
  const more = problem.detail !== title && problem.detail;
  const place = useRef<HTMLDivElement>(null);
  // Temporary failures are retried automatically.
  const comes = onRetry !== undefined && problem.retryable;
  const reports = useReportOnce(place, comes ? problem.code : null);
  const outcome = problem.outcome && `problem.${problem.outcome}`;
  if (!reports)
    return (
      <div className="muted" ref={place} data-later>
        {t('problem.later')}
      </div>
    );
  return (
    <div className="box bad stack tight" role="alert" ref={place} data-code={problem.code}>
      <p>
        <strong>{title}</strong>
        {outcome && t.has(outcome) && ` ${t(outcome)}`}
        {comes
          ? ` ${t('problem.comes')}`
          : problem.retryAfter > 0
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
      {more && <ServerText text={more} />}
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
