import { useEffect, useId, useRef, useState } from 'react';
import { asProblem } from '../api/problem';
import type { Schemas } from '../api/client';
import { Field } from '../ui/Field';
import { checkSchema } from '../ui/SchemaForm';
import { visible } from '../ui/visible';
import { equal, type Fields } from '../ui/schemaform/types';
import type { AskProps } from './ask';
import { Diff } from './Diff';
import { EditParams } from './EditParams';
import { texts } from './texts';
import { useParamsSchema } from './params';
import css from './approvals.module.css';

type Action = Schemas['ApprovalAction'];
type Edits = Record<string, Fields>;

/** Changes that need a yes: all of them, some of them, changed, or none. */
export function Actions({ approval, busy, decide, problem }: AskProps) {
  const t = texts.use();
  const [left, setLeft] = useState<string[]>([]); // not chosen
  const [edits, setEdits] = useState<Edits>({});
  const [tries, setTries] = useState(0);
  const wrong = useRef<Record<string, boolean>>({});
  const { actions } = approval;
  const many = actions.length > 1;
  const chosen = actions.filter((a) => !left.includes(a.id));
  const changed = chosen.filter((a) => edits[a.id] && !equal(edits[a.id], a.params));
  const approve = () => {
    if (chosen.some((a) => wrong.current[a.id])) {
      setTries(tries + 1);
      return;
    }
    void decide({
      approved: true,
      ...(chosen.length < actions.length ? { approved_ids: chosen.map((a) => a.id) } : {}),
      ...(changed.length ? { edits: Object.fromEntries(changed.map((a) => [a.id, edits[a.id]!])) } : {}),
    });
  };
  const words = !many
    ? t(changed.length ? 'approve.edited' : 'approve')
    : chosen.length === actions.length
      ? t('approve.all', { n: actions.length })
      : t('approve.some', { n: chosen.length, all: actions.length });
  return (
    <>
      <ol className={`plain ${css.actions}`} data-many={many || undefined}>
        {actions.map((a) => (
          <li key={a.id} data-action={a.id}>
            {many && (
              <Choose
                action={a}
                on={!left.includes(a.id)}
                disabled={busy}
                set={(on) => setLeft(on ? left.filter((id) => id !== a.id) : [...left, a.id])}
              />
            )}
            <One
              action={a}
              edited={edits[a.id]}
              tries={tries}
              problem={problem}
              disabled={busy}
              found={(bad) => {
                wrong.current[a.id] = bad;
              }}
              edit={(params) =>
                setEdits((now) => {
                  const { [a.id]: _, ...rest } = now;
                  return params ? { ...rest, [a.id]: params } : rest;
                })
              }
            />
          </li>
        ))}
      </ol>
      <Reasons reasons={approval.reasons} />
      <Decide
        busy={busy}
        approve={approve}
        words={words}
        none={chosen.length === 0}
        refuse={(comment) => decide({ approved: false, ...(comment ? { comment } : {}) })}
      />
    </>
  );
}

function Choose({
  action,
  on,
  set,
  disabled,
}: {
  action: Action;
  on: boolean;
  set: (on: boolean) => void;
  disabled: boolean;
}) {
  return (
    <label className={css.choose}>
      <input type="checkbox" checked={on} disabled={disabled} onChange={(e) => set(e.target.checked)} />
      <bdi>{visible(action.text)}</bdi>
    </label>
  );
}

interface OneProps {
  action: Action;
  edited: Fields | undefined;
  edit: (params: Fields | null) => void;
  tries: number;
  problem: unknown;
  disabled: boolean;
  found: (wrong: boolean) => void;
}

/** One action: its warnings, what it does to the record, its exact params, and a form to
 * change them. */
function One({ action, edited, edit, tries, problem, disabled, found }: OneProps) {
  const t = texts.use();
  const [editing, setEditing] = useState(false);
  const [kept, setKept] = useState(0); // how often somebody was done with it, although it was wrong
  const differs = edited !== undefined && !equal(edited, action.params);
  const schema = useParamsSchema(action, editing || differs);
  const wrong = differs && schema !== null && checkSchema(schema, edited).length > 0;
  useEffect(() => {
    found(wrong);
  });
  const button = useRef<HTMLButtonElement>(null);
  const close = (keep: boolean) => {
    if (keep && wrong) {
      setKept(kept + 1);
      return;
    }
    setEditing(false);
    if (!keep || !differs) edit(null);
    requestAnimationFrame(() => button.current?.focus());
  };
  return (
    <div className="stack tight">
      {action.warnings?.map((w) => (
        <p key={w} className="box warn small">
          <strong>{t('warning')}</strong> <bdi>{visible(w)}</bdi>
        </p>
      ))}
      <Diff before={action.before} after={action.after} />
      {differs && (
        <div className={css.edited} data-edited>
          <p className="small">
            <strong>{t('edited')}</strong>
          </p>
          <Diff before={action.params} after={edited} />
        </div>
      )}
      {action.grant_id && <p className="small muted">{t('granted')}</p>}
      {editing ? (
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
      ) : (
        <div className="row">
          <button
            ref={button}
            type="button"
            className="small"
            data-do="edit"
            disabled={disabled}
            onClick={() => {
              edit(edited ?? (action.params as Fields));
              setEditing(true);
            }}
          >
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
        <summary>
          {t('params')} <code>{action.command}</code>
        </summary>
        <pre tabIndex={0}>{visible(JSON.stringify(differs ? edited : action.params, null, 2))}</pre>
      </details>
    </div>
  );
}

/** Which rules asked, from the widest to the most particular. */
function Reasons({ reasons }: { reasons: Schemas['ApprovalReason'][] }) {
  const t = texts.use();
  if (!reasons.length) return null;
  return (
    <div className="stack tight">
      <h3>{t('reasons')}</h3>
      <ul className={`plain ${css.reasons}`}>
        {reasons.map((r) => (
          <li key={r.level + (r.id ?? '')} data-level={r.level}>
            <span className="badge">{t.has(`level.${r.level}`) ? t(`level.${r.level}` as 'level.ai') : r.level}</span>{' '}
            <bdi>{visible(r.text)}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface DecideProps {
  busy: boolean;
  approve: () => void;
  words: string;
  none: boolean;
  refuse: (comment: string) => Promise<boolean>;
}

/** Yes, or no with a reason that the AI is told. */
function Decide({ busy, approve, words, none, refuse }: DecideProps) {
  const t = texts.use();
  const [refusing, setRefusing] = useState(false);
  const [comment, setComment] = useState('');
  const hint = useId();
  const box = useRef<HTMLDivElement>(null);
  const open = () => {
    setRefusing(true);
    requestAnimationFrame(() => box.current?.querySelector('textarea')?.focus());
  };
  const back = () => {
    setRefusing(false);
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>('[data-do=refuse]')?.focus());
  };
  if (!refusing) {
    return (
      <div ref={box} className={css.buttons}>
        <button
          type="button"
          className="primary"
          data-do="approve"
          disabled={busy || none}
          aria-describedby={none ? hint : undefined}
          onClick={approve}
        >
          {words}
        </button>
        <button type="button" data-do="refuse" disabled={busy} onClick={open}>
          {t('refuse.open')}
        </button>
        {none && (
          <p id={hint} className="small muted">
            {t('none.chosen')}
          </p>
        )}
      </div>
    );
  }
  return (
    <form
      ref={box as never}
      className="stack tight"
      onSubmit={(e) => {
        e.preventDefault();
        void refuse(comment.trim());
      }}
    >
      <Field label={t('reason')} hint={t('reason.hint')}>
        <textarea
          rows={2}
          maxLength={10_000}
          value={comment}
          onChange={(e) => setComment(e.target.value)}
          data-do="reason"
          onKeyDown={(e) => {
            if (e.key === 'Escape') back();
            if (e.key === 'Enter' && !e.shiftKey && !e.nativeEvent.isComposing) {
              e.preventDefault();
              void refuse(comment.trim());
            }
          }}
        />
      </Field>
      <div className={css.buttons}>
        <button type="submit" className="danger" data-do="refuse-now" disabled={busy}>
          {t(comment.trim() ? 'refuse.reason' : 'refuse')}
        </button>
        <button type="button" disabled={busy} onClick={back}>
          {t('back')}
        </button>
      </div>
    </form>
  );
}
