import { useEffect, useRef, useState, type ReactNode } from 'react';
import { asProblem } from '../../../api/problem';
import { useAction } from '../../../ui/action';
import { ProblemBox } from '../../../ui/Problem';
import css from '../automations.module.css';
import { incomplete, type Automation, type Draft } from '../draft/draft';
import { unplaced } from '../draft/errors';
import { Form } from './Form';
import { formTexts } from './texts';
import { LeaveGuard } from './LeaveGuard';
import type { DraftState } from '../draft/useDraft';

const shown = ['/name', '/seed', '/schedule', '/triggers', '/budgets', '/tags', '/commands'];

interface Props {
  state: DraftState;
  save: string;
  act: (draft: Draft) => Promise<unknown>;
  automation?: Automation;
  children?: ReactNode;
}

/** The form with its buttons: errors are marked, and the first one gets the focus. */
export function Editor({ state, save, act, automation, children }: Props) {
  const t = formTexts.use();
  const { draft, dirty, base } = state;
  const [tried, setTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const notice = Boolean(children);
  useEffect(() => {
    // if the footer covers the form or a notice pushes it down, the focused field stays visible
    const active = document.activeElement;
    if ((dirty || notice) && form.current?.contains(active)) active?.scrollIntoView({ block: 'nearest' });
  }, [dirty, notice]);
  const action = useAction(() => act(draft));
  const problem = action.problem === null ? null : asProblem(action.problem);
  const lacks = tried && incomplete(draft);
  const focusWrong = () =>
    setTimeout(() => {
      const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-wrong]');
      const fold = wrong?.closest('details');
      if (fold) fold.open = true;
      wrong?.focus();
    }, 0);
  const submit = async () => {
    setTried(true);
    if (incomplete(draft) || !(await action.run())) focusWrong();
    else setTried(false);
  };
  const placed = problem !== null && problem.errors.length > 0 && unplaced(problem.errors, shown).length === 0;
  return (
    <form
      ref={form}
      className={`stack ${css.form}`}
      noValidate
      onSubmit={(e) => {
        e.preventDefault();
        void submit();
      }}
    >
      {children}
      {state.restored && dirty && (
        <p className="box row between" role="status">
          {t('restored')}
          <button type="button" className="small" onClick={() => state.begin(base)}>
            {t('restored.drop')}
          </button>
        </p>
      )}
      <Form
        draft={draft}
        onChange={(next) => {
          state.change(next);
          action.clear();
        }}
        errors={problem?.errors ?? []}
        tried={tried}
        automation={automation}
      />
      <div className={`${css.foot} stack tight`} data-held={dirty ? '' : undefined}>
        {problem !== null && !placed && problem.code !== 'precondition_failed' && <ProblemBox thrown={problem} />}
        {(placed || lacks) && (
          <p className="box bad" role="alert">
            {t('mend')}
          </p>
        )}
        <div className="row">
          <button type="submit" className="primary" disabled={action.busy || (automation !== undefined && !dirty)}>
            {save}
          </button>
          {automation && dirty && (
            <button type="button" className="plain" onClick={() => state.begin(base)}>
              {t('discard')}
            </button>
          )}
          {automation && (
            <span className="small muted" role="status">
              {dirty ? t('unsaved') : ''}
            </span>
          )}
        </div>
      </div>
      <LeaveGuard dirty={dirty && !action.busy} onLeave={state.forget} />
    </form>
  );
}
