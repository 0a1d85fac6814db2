import { useRef, useState } from 'react';
import type { Schemas } from '../api/client';
import { equal, type Fields } from '../ui/schemaform/types';
import { visible } from '../ui/visible';
import { ActionForm } from './ActionForm';
import css from './approvals.module.css';
import type { AskProps } from './ask';
import { dangerousFirst, isDangerous } from './danger';
import { Always, useEndAsking, useOffer } from './Always';
import { Decide } from './Decide';
import { useSeen } from './seen';
import { texts } from './texts';

type Action = Schemas['ApprovalAction'];
type Edits = Record<string, Fields>;

/** Changes that need approval: a person approves all or some of them, edited or not, or rejects them. */
export function Actions({ approval, busy, decide, problem }: AskProps) {
  const t = texts.use();
  const [left, setLeft] = useState<string[]>([]); // not selected
  const [edits, setEdits] = useState<Edits>({});
  const [tries, setTries] = useState(0);
  const [cut, setCut] = useState<string[]>([]); // not fully drawn
  const wrong = useRef<Record<string, boolean>>({});
  const actions = dangerousFirst(approval.actions);
  const many = actions.length > 1;
  const list = useRef<HTMLOListElement>(null);
  const dangers = actions.filter(isDangerous).map((a) => a.id);
  const seen = useSeen(list, dangers);
  const offer = useOffer(approval);
  const [always, setAlways] = useState(false);
  const endAsking = useEndAsking(approval);
  const chosen = actions.filter((a) => !left.includes(a.id));
  const changed = chosen.filter((a) => edits[a.id] && !equal(edits[a.id], a.params));
  const approve = () => {
    if (chosen.some((a) => wrong.current[a.id])) {
      setTries(tries + 1);
      return;
    }
    if (seen.reveal(chosen.filter(isDangerous).map((a) => a.id))) return;
    const answer = decide({
      approved: true,
      ...(chosen.length < actions.length ? { approved_ids: chosen.map((a) => a.id) } : {}),
      ...(changed.length ? { edits: Object.fromEntries(changed.map((a) => [a.id, edits[a.id]!])) } : {}),
    });
    if (offer && always) void answer.then((taken) => (taken ? endAsking(offer) : undefined));
  };
  const approveLabel = () => {
    if (chosen.some((a) => a.sensitive)) return t('approve.passkey');
    if (!many) return t(changed.length ? 'approve.edited' : 'approve');
    if (chosen.length === actions.length) return t('approve.all', { n: actions.length });
    return t('approve.some', { n: chosen.length, all: actions.length });
  };
  const setEdit = (id: string, params: Fields | null) =>
    setEdits((now) => {
      const { [id]: _, ...rest } = now;
      return params ? { ...rest, [id]: params } : rest;
    });
  const choose = (id: string, on: boolean) => setLeft(on ? left.filter((other) => other !== id) : [...left, id]);
  return (
    <>
      <ol ref={list} className={`plain ${css.actions}`} data-many={many || undefined}>
        {actions.map((a) => (
          <li
            key={a.id}
            data-action={a.id}
            data-danger={isDangerous(a) ? a.id : undefined}
            tabIndex={isDangerous(a) ? -1 : undefined}
          >
            {many && <Choose action={a} on={!left.includes(a.id)} disabled={busy} set={(on) => choose(a.id, on)} />}
            <ActionForm
              action={a}
              edited={edits[a.id]}
              tries={tries}
              problem={problem}
              disabled={busy}
              found={(bad) => {
                wrong.current[a.id] = bad;
              }}
              cut={(yes) => setCut((now) => withOr(now, a.id, yes))}
              edit={(params) => setEdit(a.id, params)}
            />
          </li>
        ))}
      </ol>
      <Reasons reasons={approval.reasons} />
      {chosen.some((a) => a.sensitive) && <p className="small muted">{t('approve.passkey.hint')}</p>}
      {offer && <Always offer={offer} on={always} set={setAlways} />}
      <Decide
        busy={busy}
        approve={approve}
        label={approveLabel()}
        none={chosen.length === 0}
        more={chosen.some((a) => cut.includes(a.id))}
        hidden={seen.hidden}
        refuse={(comment) => decide({ approved: false, ...(comment ? { comment } : {}) })}
      />
    </>
  );
}

/** The same list, read-only. */
const withOr = (list: string[], id: string, wanted: boolean) =>
  list.includes(id) === wanted ? list : wanted ? [...list, id] : list.filter((other) => other !== id);

interface ChooseProps {
  action: Action;
  on: boolean;
  set: (on: boolean) => void;
  disabled: boolean;
}

function Choose({ action, on, set, disabled }: ChooseProps) {
  return (
    <label className={css.choose}>
      <input type="checkbox" checked={on} disabled={disabled} onChange={(e) => set(e.target.checked)} />
      <bdi>{visible(action.text)}</bdi>
    </label>
  );
}

/** The rules that require approval, from the most general to the most specific. */
function Reasons({ reasons }: { reasons: Schemas['ApprovalReason'][] }) {
  const t = texts.use();
  const levelName = (level: string) => (t.has(`level.${level}`) ? t(`level.${level}` as 'level.ai') : level);
  if (!reasons.length) return null;
  return (
    <div className="stack tight">
      <h3>{t('reasons')}</h3>
      <ul className={`plain ${css.reasons}`}>
        {reasons.map((r) => (
          <li key={r.level + (r.id ?? '')} data-level={r.level}>
            <span className="badge">{levelName(r.level)}</span>
            {/* What the AI asks for by itself has no more to be said. */}
            {r.level !== 'ai' && (
              <>
                {' '}
                <bdi>{visible(r.text)}</bdi>
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
