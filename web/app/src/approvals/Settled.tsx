import { useFormat } from '../i18n/format';
import { Time } from '../ui/Time';
import { visible } from '../ui/visible';
import { Diff } from './Diff';
import { Edited } from './Edited';
import { statusIn, type Approval } from './decide';
import { texts } from './texts';
import css from './approvals.module.css';

interface Decision {
  approved?: boolean;
  approved_ids?: string[];
  edits?: Record<string, unknown>;
  comment?: string;
  value?: unknown;
  cancelled?: boolean;
  limit?: number;
  outcome?: string;
}

export const toneOf = (a: Approval) => (a.status === 'approved' ? 'ok' : a.status === 'open' ? '' : 'warn');

/** The decision, by whom and when; and what happened to a late answer. */
export function Settled({ approval, conflict }: { approval: Approval; conflict: string | null }) {
  const t = texts.use();
  const decision = (approval.decision ?? {}) as Decision;
  const late =
    conflict &&
    (conflict === 'validation_stale'
      ? t('conflict.stale')
      : conflict === 'approval_expired' || approval.status === 'expired'
        ? t('conflict.expired')
        : t('conflict.other'));
  // A single action is the title of the card; a person's edits of it are listed.
  const titled = approval.actions.length === 1 && decision.edits?.[approval.actions[0]!.id] === undefined;
  return (
    <div className="stack tight" data-settled={approval.status}>
      {late && (
        <p className="box warn" data-conflict={conflict}>
          {late}
        </p>
      )}
      <p>
        <span className={`badge ${toneOf(approval)}`}>{statusIn(approval)}</span> <By approval={approval} />
      </p>
      {approval.evidence && <p className="small muted">{t('signed.passkey')}</p>}
      {!conflict && approval.status === 'stale' && <p className="small muted">{t('stale')}</p>}
      {decision.comment && (
        <blockquote className={css.quote}>
          <p className="preserve">{decision.comment}</p>
        </blockquote>
      )}
      <Given approval={approval} decision={decision} />
      {approval.kind === 'actions' && !titled && (
        <ul className={css.what}>
          {approval.actions.map((a) => (
            <li key={a.id}>
              {a.text}
              {left(approval, decision, a.id) && <span className="muted"> · {t('left')}</span>}
              {decision.edits?.[a.id] !== undefined && (
                <>
                  <p className="small muted">{t('edited')}</p>
                  <Edited action={a} edit={decision.edits[a.id]} />
                </>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const left = (a: Approval, d: Decision, id: string) =>
  a.status === 'approved' && (d.approved_ids?.length ?? 0) > 0 && !d.approved_ids!.includes(id);

/** Who settled it, in words; for a link, its recipient. */
export function byWhom(by: string | null, t: typeof texts.t): string {
  if (!by) return '';
  if (by === 'local' || by === 'root') return t(`by.${by}`);
  if (by.startsWith('text:')) return t('by.text', { name: visible(by.slice('text:'.length)) });
  if (by === 'link') return t('by.link');
  if (!by.startsWith('link:')) return t('by', { name: by });
  const to = by.slice('link:'.length);
  return to.startsWith('whk_') ? t('by.link.hook') : t('by.link.to', { name: visible(to) });
}

function By({ approval }: { approval: Approval }) {
  const t = texts.use();
  const whom = byWhom(approval.settled_by, t);
  return (
    <span className="muted" data-by={approval.settled_by}>
      <bdi>{whom}</bdi>
      {whom && approval.settled_at && ', '}
      <Time at={approval.settled_at} />
    </span>
  );
}

/** The answer, if it is more than yes or no. */
function Given({ approval, decision }: { approval: Approval; decision: Decision }) {
  const t = texts.use();
  const f = useFormat();
  const { value, limit, outcome } = decision;
  if (typeof limit === 'number')
    return (
      <p>
        {t('given.limit', {
          limit: approval.budget?.unit === 'USD' ? f.money(limit, 'USD') : t('tokens', { n: f.number(limit) }),
        })}
      </p>
    );
  if (outcome) return <p>{t.has(`outcome.${outcome}`) ? t(`outcome.${outcome}` as 'outcome.happened') : outcome}</p>;
  if (value === undefined || typeof value === 'boolean') return null;
  if (typeof value === 'string')
    return (
      <blockquote className={css.quote}>
        <p className="preserve">{value}</p>
      </blockquote>
    );
  if (Array.isArray(value) && value.every((v) => typeof v === 'string'))
    return (
      <blockquote className={css.quote}>
        <p>{f.list(value)}</p>
      </blockquote>
    );
  return <Diff before={undefined} after={value} />;
}
