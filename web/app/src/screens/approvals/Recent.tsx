import { useState } from 'react';
import { $api, byPages } from '../../api/client';
import { ApprovalCard } from '../../approvals/ApprovalCard';
import { titleOf } from '../../approvals/title';
import { statusIn, type Approval } from '../../approvals/decide';
import { toneOf } from '../../approvals/Settled';
import { Read } from '../../ui/Read';
import { useWords } from '../../ui/session';
import { texts as uiTexts } from '../../ui/texts';
import { Time } from '../../ui/Time';
import { texts } from './texts';
import css from './approvals.module.css';

/** The recently settled approvals, newest first. */
export function Recent() {
  const t = texts.use();
  const words = uiTexts.use();
  const query = $api.useInfiniteQuery('get', '/v1/approvals', { params: { query: { limit: 50 } } }, byPages);
  return (
    <section className="stack tight" aria-labelledby="recent">
      <h2 id="recent">{t('recent')}</h2>
      <Read query={query}>
        {({ pages }) => {
          const list = pages
            .flatMap((p) => p.data)
            .filter((a) => a.status !== 'open')
            .toSorted((a, b) => (b.settled_at ?? '').localeCompare(a.settled_at ?? ''));
          if (!list.length && !query.hasNextPage) return <p className="muted">{t('recent.none')}</p>;
          return (
            <>
              <ul className={`plain ${css.recent}`}>
                {list.map((a) => (
                  <Row key={a.id} approval={a} />
                ))}
              </ul>
              {query.hasNextPage && (
                <p>
                  <button
                    type="button"
                    className="small"
                    disabled={query.isFetchingNextPage}
                    onClick={() => void query.fetchNextPage()}
                  >
                    {words('more')}
                  </button>
                </p>
              )}
            </>
          );
        }}
      </Read>
    </section>
  );
}

function Line({ approval }: { approval: Approval }) {
  const words = useWords();
  return (
    <span className={css.summary}>
      <span className={`badge ${toneOf(approval)}`}>{statusIn(approval)}</span>
      <span className="clamp grow">{titleOf(approval) || words.approval(approval.kind)}</span>
      <span className="muted small nowrap">
        <Time at={approval.settled_at} />
      </span>
    </span>
  );
}

function Row({ approval }: { approval: Approval }) {
  const [open, setOpen] = useState(false);
  return (
    <li data-recent={approval.id}>
      <details onToggle={(e) => setOpen(e.currentTarget.open)}>
        <summary>
          <Line approval={approval} />
        </summary>
        {open && <ApprovalCard approval={approval} />}
      </details>
    </li>
  );
}
