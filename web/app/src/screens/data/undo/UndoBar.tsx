import { useEffect, useRef } from 'react';
import { announce } from '../../../shell/announce';
import { useAction } from '../../../ui/action';
import { ProblemBox } from '../../../ui/Problem';
import { Time } from '../../../ui/Time';
import css from '../data.module.css';
import { closeBar, forget, restore, useDeleted, useLastDeleted, type Deleted } from './deleted';
import { texts } from '../texts';

function useRestore() {
  const t = texts.use();
  return useAction(async (one: Deleted) => {
    await restore(one);
    announce(one.kind === 'entry' ? t('undo.back.entries', { n: one.ids.length }) : t('undo.back', { name: one.name }));
    document.getElementById('page-title')?.focus({ preventScroll: true }); // the button is gone
  });
}

/** Reports a deletion and offers to undo it, until dismissed. */
export function UndoBar() {
  const t = texts.use();
  const one = useLastDeleted();
  const action = useRestore();
  const button = useRef<HTMLButtonElement>(null);
  const { clear } = action;
  useEffect(() => {
    clear();
    if (one) button.current?.focus({ preventScroll: true }); // the focused element was removed
  }, [one, clear]);
  return (
    <div role="status" className={one ? `box stack tight ${css.undo}` : undefined} data-undo={one?.kind}>
      {one && (
        <>
          <div className="row between">
            <span className="grow clamp">
              {one.kind === 'entry' ? t('undo.entries', { n: one.ids.length }) : t('undo.done', { name: one.name })}
            </span>
            <button
              type="button"
              className="small"
              ref={button}
              disabled={action.busy}
              onClick={() => void action.run(one)}
            >
              {t('undo')}
            </button>
            <button type="button" className="plain small" aria-label={t('close')} title={t('close')} onClick={closeBar}>
              ✕
            </button>
          </div>
          {action.problem != null && <ProblemBox thrown={action.problem} />}
        </>
      )}
    </div>
  );
}

/** The recent deletions of this browser. */
export function RecentlyDeleted() {
  const t = texts.use();
  const list = useDeleted();
  const action = useRestore();
  if (!list.length) return null;
  const nameOf = (d: Deleted) => (d.kind === 'entry' ? `${d.name} (${d.ids.length})` : d.name);
  return (
    <details data-deleted>
      <summary>{t('undo.list', { n: list.length })}</summary>
      <div className="stack tight">
        <p className="small muted">{t('undo.list.text')}</p>
        {action.problem != null && <ProblemBox thrown={action.problem} />}
        <ul className="plain stack tight">
          {list.map((d) => (
            <li key={d.kind + d.ids[0] + d.at} className="row">
              <span className="badge">{t(`kind.${d.kind}`)}</span>
              <span className="grow clamp">{nameOf(d)}</span>
              <span className="small muted">
                <Time at={new Date(d.at).toISOString()} />
              </span>
              <button
                type="button"
                className="small"
                aria-label={t('undo.restore.label', { name: nameOf(d) })}
                disabled={action.busy}
                onClick={() => void action.run(d)}
              >
                {t('undo.restore')}
              </button>
              <button
                type="button"
                className="plain small"
                aria-label={t('undo.forget.label', { name: nameOf(d) })}
                onClick={() => forget(d)}
              >
                {t('undo.forget')}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
}
