import { useState } from 'react';
import { asProblem } from '../../api/problem';
import { Diff } from '../../approvals/Diff';
import { texts as cards } from '../../approvals/texts';
import { titleOf } from '../../approvals/title';
import { statusIn, useSend, type Approval } from '../../approvals/decide';
import { announce } from '../../shell/announce';
import { problemWords } from '../../ui/problemWords';
import { texts as uiTexts } from '../../ui/texts';
import { visible } from '../../ui/visible';
import { texts } from './texts';
import css from './approvals.module.css';

interface Result {
  id: string;
  title: string;
  ok: boolean;
  said: string;
}

/** Approves several changes in turn, and reports the outcome of each. */
export function Bulk({ chosen, onDone }: { chosen: Approval[]; onDone: () => void }) {
  const t = texts.use();
  const ui = uiTexts.use();
  const send = useSend();
  const [at, setAt] = useState<number | null>(null);
  const [results, setResults] = useState<Result[]>([]);
  const run = async () => {
    const list = [...chosen];
    const done: Result[] = [];
    for (const [i, a] of list.entries()) {
      setAt(i);
      try {
        // One after the other: each approval is for the data shown, and the first may change that of the next.
        // eslint-disable-next-line no-await-in-loop
        const now = await send(a, { approved: true });
        done.push({ id: a.id, title: titleOf(a), ok: true, said: now ? statusIn(now) : '' });
      } catch (thrown) {
        done.push({ id: a.id, title: titleOf(a), ok: false, said: problemWords(asProblem(thrown)) });
      }
    }
    setAt(null);
    setResults(done);
    announce(t('bulk.done', { n: done.filter((r) => r.ok).length, all: done.length }));
    onDone();
  };
  if (!chosen.length && !results.length) return null;
  return (
    <div className={css.bulk} data-bulk>
      {chosen.length > 0 && <What chosen={chosen} />}
      {chosen.length > 0 && (
        <button type="button" className="primary" disabled={at !== null} onClick={() => void run()}>
          {at === null ? t('bulk', { n: chosen.length }) : t('bulk.at', { n: at + 1, all: chosen.length })}
        </button>
      )}
      {results.length > 0 && (
        <div className="box stack tight">
          <div className="row between">
            <strong>{t('bulk.done', { n: results.filter((r) => r.ok).length, all: results.length })}</strong>
            <button type="button" className="plain small" onClick={() => setResults([])}>
              {ui('close')}
            </button>
          </div>
          <ul className={css.results}>
            {results.map((r) => (
              <li key={r.id} data-result={r.ok ? 'ok' : 'failed'}>
                <span className="clamp">{r.title}</span>{' '}
                <span className={`badge ${r.ok ? 'ok' : 'warn'}`}>{r.ok ? r.said : t('bulk.failed')}</span>
                {!r.ok && <span className="small"> {r.said}</span>}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

/** The effect of approving the selection: one line per row. */
function What({ chosen }: { chosen: Approval[] }) {
  const t = texts.use();
  const words = cards.use();
  const [open, setOpen] = useState(false);
  const actions = chosen.flatMap((a) => a.actions);
  return (
    <details className={css.does} data-bulk-what onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{t('bulk.what', { n: actions.length })}</summary>
      {open && (
        <ol className={css.results}>
          {actions.map((a) => (
            <li key={a.id} className="stack tight">
              <bdi>{visible(a.text)}</bdi>
              {a.warnings?.map((w) => (
                <p key={w} className="box warn small">
                  <strong>{words('warning')}</strong> <bdi>{visible(w)}</bdi>
                </p>
              ))}
              <Diff before={a.before} after={a.after} />
            </li>
          ))}
        </ol>
      )}
    </details>
  );
}
