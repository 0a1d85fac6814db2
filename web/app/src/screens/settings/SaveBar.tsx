import { useEffect } from 'react';
import { asProblem } from '../../api/problem';
import { ProblemBox } from '../../ui/Problem';
import { texts as uiTexts } from '../../ui/texts';
import styles from './settings.module.css';
import { texts } from './texts';
import type { Draft } from './useSettings';

/** Save and discard, with what went wrong. A page with unsaved changes asks before it goes. */
export function SaveBar({ draft }: { draft: Draft }) {
  const t = texts.use();
  const tu = uiTexts.use();
  useEffect(() => {
    if (!draft.changed) return undefined;
    const ask = (e: BeforeUnloadEvent) => e.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [draft.changed]);
  const problem = draft.save.problem;
  const stale = problem != null && asProblem(problem).status === 412;
  return (
    <div className={`stack tight ${styles.save}`} data-changed={draft.changed}>
      {problem != null && <ProblemBox thrown={problem} />}
      {stale && (
        <p className="row">
          <button type="button" onClick={() => void draft.again()}>
            {t('again')}
          </button>
          <span className="muted small">{t('again.text')}</span>
        </p>
      )}
      <div className="row">
        <button type="submit" className="primary" disabled={!draft.changed || draft.save.busy}>
          {tu('save')}
        </button>
        <button type="button" disabled={!draft.changed || draft.save.busy} onClick={draft.discard}>
          {t('discard')}
        </button>
        <span className="muted small" role="status">
          {draft.changed ? t('unsaved') : ''}
        </span>
      </div>
    </div>
  );
}
