import { useEffect, useRef, useState } from 'react';
import { asProblem } from '../api/problem';
import type { Schemas } from '../api/client';
import { focusAfter } from '../ui/focus';
import { checkSchema } from '../ui/SchemaForm';
import { equal, type Fields } from '../ui/schemaform/types';
import { visible } from '../ui/visible';
import css from './approvals.module.css';
import { createAutomation } from './automationParams';
import { Diff } from './Diff';
import { Edited } from './Edited';
import { EditParams } from './EditParams';
import { Foresight } from './Foresight';
import { useParamsSchema } from './params';
import { texts } from './texts';

type Action = Schemas['ApprovalAction'];

interface Props {
  action: Action;
  edited: Fields | undefined;
  edit: (params: Fields | null) => void;
  tries: number;
  problem: unknown;
  disabled: boolean;
  found: (wrong: boolean) => void;
  /** Called with whether all effects of the action are drawn. */
  cut: (yes: boolean) => void;
}

/** One action: its warnings, its effect on the record, its exact params, and a form to change them. */
export function ActionForm({ action, edited, edit, tries, problem, disabled, found, cut }: Props) {
  const t = texts.use();
  const [editing, setEditing] = useState(false);
  const [kept, setKept] = useState(0); // how often it was closed with errors
  const differs = edited !== undefined && !equal(edited, action.params);
  const schema = useParamsSchema(action, editing || differs);
  const wrong = differs && schema !== null && checkSchema(schema, edited).length > 0;
  useEffect(() => {
    found(wrong);
  });
  const button = useRef<HTMLButtonElement>(null);
  const open = () => {
    edit(edited ?? (action.params as Fields));
    setEditing(true);
  };
  const close = (keep: boolean) => {
    if (keep && wrong) {
      setKept(kept + 1);
      return;
    }
    focusAfter(
      () => {
        setEditing(false);
        if (!keep || !differs) edit(null);
      },
      () => button.current,
    );
  };
  return (
    <div className="stack tight">
      {action.warnings?.map((w) => (
        <p key={w} className="box warn small">
          <strong>{t('warning')}</strong> <bdi>{visible(w)}</bdi>
        </p>
      ))}
      <Diff before={action.before} after={action.after} cut={cut} />
      {differs && (
        <div className={css.edited} data-edited>
          <p className="small">
            <strong>{t('edited')}</strong>
          </p>
          <Edited action={action} edit={edited} />
        </div>
      )}
      {action.grant_id && <p className="small muted">{t('granted')}</p>}
      {editing && (
        <EditParams
          action={action}
          schema={schema}
          value={edited ?? (action.params as Fields)}
          onChange={edit}
          onClose={close}
          disabled={disabled}
          tries={tries + kept}
          problem={problem === null ? [] : asProblem(problem).errors}
        />
      )}
      {action.command === createAutomation && differs && !editing && <Foresight params={edited} />}
      <div className={css.tail}>
        {!editing && (
          <div className="row">
            <button ref={button} type="button" className="small" data-do="edit" disabled={disabled} onClick={open}>
              {t(differs ? 'edit.again' : 'edit')}
            </button>
            {differs && (
              <button type="button" className="plain small" disabled={disabled} onClick={() => edit(null)}>
                {t('edit.undo')}
              </button>
            )}
          </div>
        )}
        <details className={css.fold}>
          <summary>{t('params')}</summary>
          <p>
            <code>{action.command}</code>
          </p>
          <pre tabIndex={0}>{visible(JSON.stringify(differs ? edited : action.params, null, 2))}</pre>
        </details>
      </div>
    </div>
  );
}
