import { useEffect } from 'react';
import { asProblem } from '../../api/problem';
import { ProblemBox } from '../../ui/Problem';
import { texts as uiTexts } from '../../ui/texts';
import styles from './settings.module.css';
import { texts } from './texts';
import type { Draft } from './useSettings';

/** The state of unsaved changes, with undo. A page with unsaved changes asks before it is closed. The space is
 * reserved: nothing moves when a message appears. */
export function SaveBar({ draft, byButton = false }: { draft: Draft; byButton?: boolean }) {
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
  const failed = problem != null || draft.review;
  const undo = draft.undo;
  return (
    <div className={`stack tight ${styles.save}`} data-changed={draft.changed}>
      {problem != null && draft.errors.length === 0 && <ProblemBox thrown={problem} />}
      {undo?.problem != null && <ProblemBox thrown={undo.problem} onClose={undo.clear} />}
      {stale && (
        <p className="row">
          <button type="button" data-own="again" onClick={() => void draft.again()}>
            {t('again')}
          </button>
          <span className="muted small">{t('again.text')}</span>
        </p>
      )}
      <div className="row" data-own="bar">
        {(byButton || (failed && draft.changed)) && (
          <>
            <button
              type="submit"
              className="primary"
              data-own="save"
              disabled={!draft.changed || draft.save.busy || stale}
            >
              {tu('save')}
            </button>
            <button
              type="button"
              data-own="discard"
              disabled={!draft.changed || draft.save.busy}
              onClick={draft.discard}
            >
              {t('discard')}
            </button>
          </>
        )}
        <span className="muted small" role="status" data-saved={!draft.changed && undo ? '' : undefined}>
          {draft.save.busy
            ? t('saving')
            : draft.changed && (byButton || failed)
              ? t('unsaved')
              : undo
                ? t('saved')
                : ''}
        </span>
        {undo && !draft.changed && (
          <button
            type="button"
            className="link small"
            data-own="undo"
            disabled={undo.busy}
            onClick={() => void undo.run()}
          >
            {t('undo')}
          </button>
        )}
      </div>
    </div>
  );
}
