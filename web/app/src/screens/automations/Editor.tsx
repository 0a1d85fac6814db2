import { useRef, useState, type ReactNode } from 'react';
import { asProblem } from '../../api/problem';
import { useAction } from '../../ui/action';
import { ProblemBox } from '../../ui/Problem';
import css from './automations.module.css';
import { changed, type Draft } from './draft';
import { unplaced } from './errors';
import { Form } from './Form';
import { formTexts } from './formTexts';
import { isEmpty } from './parts';
import { missing } from './schedule';

const shown = ['/name', '/seed', '/schedule', '/triggers', '/budgets', '/tags', '/provider_id'];

interface Props { id: string; base: Draft; save: string; act: (draft: Draft) => Promise<unknown>; children?: ReactNode }

/** The form with its button: what is wrong is marked, and the first of it gets the focus. */
export function Editor({ base, save, act, children }: Props) {
  const t = formTexts.use();
  const [draft, setDraft] = useState(base);
  const [tried, setTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const action = useAction(() => act(draft));
  const problem = action.problem === null ? null : asProblem(action.problem);
  const incomplete = isEmpty(draft.parts) || missing(draft.when) !== null;
  const submit = async () => {
    setTried(true);
    if (incomplete || !(await action.run())) requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  const placed = problem !== null && problem.errors.length > 0 && unplaced(problem.errors, shown).length === 0;
  return (
    <form ref={form} className={`stack ${css.form}`} noValidate onSubmit={(e) => { e.preventDefault(); void submit(); }}>
      {children}
      <Form draft={draft} onChange={(next) => { setDraft(next); action.clear(); }} errors={problem?.errors ?? []} empty={tried && isEmpty(draft.parts)} />
      {problem !== null && !placed && <ProblemBox thrown={problem} />}
      {(placed || (tried && incomplete)) && <p className="box bad" role="alert">{t('mend')}</p>}
      <div className="row"><button type="submit" className="primary" disabled={action.busy}>{save}</button>{changed(base, draft) && <span className="small muted" />}</div>
    </form>
  );
}
