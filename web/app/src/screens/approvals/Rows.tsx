import type { ReactNode } from 'react';
import { isDangerous } from '../../approvals/danger';
import { KindIcon } from '../../approvals/KindIcon';
import { titleOf } from '../../approvals/title';
import type { Approval } from '../../approvals/decide';
import { useWords } from '../../ui/session';
import { Time } from '../../ui/Time';
import { texts } from './texts';
import css from './approvals.module.css';

/** Only changes can be approved in bulk: all others need an individual answer, and dangerous ones an individual
 * review. */
export const inBulk = (a: Approval) => a.kind === 'actions' && !a.actions.some(isDangerous);

interface Props {
  list: Approval[];
  current: string | null;
  pick: (a: Approval) => void;
  ticked: string[];
  tick: (a: Approval) => void;
  name: (session: string) => string | undefined;
  /** Shown below the selected row if there is no room beside the list. */
  below?: ReactNode;
}

export function Rows({ list, current, pick, ticked, tick, name, below }: Props) {
  const t = texts.use();
  const words = useWords();
  return (
    <ul className={`plain ${css.rows}`} aria-label={t('waiting')}>
      {list.map((a) => (
        <li key={a.id} className={css.row} data-row={a.id} data-current={a.id === current || undefined}>
          <div className={css.line}>
            {inBulk(a) ? (
              <label className={css.tick}>
                <input
                  type="checkbox"
                  checked={ticked.includes(a.id)}
                  onChange={() => tick(a)}
                  aria-label={t('tick', { name: titleOf(a).slice(0, 200) })}
                />
              </label>
            ) : (
              <span className={css.tick} />
            )}
            <button
              type="button"
              className={css.pick}
              aria-current={a.id === current ? 'true' : undefined}
              onClick={() => pick(a)}
            >
              <span className={css.what}>
                <KindIcon kind={a.kind} />
                <bdi className="clamp">{titleOf(a) || words.approval(a.kind)}</bdi>
              </span>
              <span className={css.sub}>
                <span>{words.approval(a.kind)}</span>
                <span className={css.name}>{name(a.session_id)}</span>
                <Time at={a.created_at} />
                {a.expires_at && (
                  <span>
                    {t('expires')} <Time at={a.expires_at} />
                  </span>
                )}
              </span>
            </button>
          </div>
          {a.id === current && below}
        </li>
      ))}
    </ul>
  );
}
