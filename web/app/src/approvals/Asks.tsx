import { useState } from 'react';
import { useFormat } from '../i18n/format';
import { useLang } from '../i18n/texts';
import { Field } from '../ui/Field';
import { readNumber } from '../ui/schemaform/read';
import { visible } from '../ui/visible';
import type { AskProps } from './ask';
import { Diff } from './Diff';
import { texts } from './texts';
import css from './approvals.module.css';

/** A budget is used up: a person raises it or ends the work. */
export function Budget({ approval, busy, decide }: AskProps) {
  const t = texts.use();
  const f = useFormat();
  const lang = useLang();
  const [limit, setLimit] = useState('');
  const [wrong, setWrong] = useState('');
  const b = approval.budget;
  const amount = (n: number) => (b?.unit === 'USD' ? f.money(n, 'USD') : t('tokens', { n: f.number(n) }));
  // "3 of 5 tokens", but "$0.03 of $0.05".
  const spent = b && (b.unit === 'USD' ? amount(b.spent) : f.number(b.spent));
  const send = () => {
    const more = readNumber(limit, lang);
    const bad = more !== undefined && (typeof more !== 'number' || more <= 0);
    setWrong(bad ? t('budget.wrong') : '');
    if (!bad) void decide({ approved: true, ...(typeof more === 'number' ? { limit: more } : {}) });
  };
  return (
    <form
      noValidate
      className="stack"
      onSubmit={(e) => {
        e.preventDefault();
        send();
      }}
    >
      {b && (
        <dl className={css.facts}>
          <div>
            <dt>{t('budget.scope')}</dt>
            <dd>{t.has(`scope.${b.scope}`) ? t(`scope.${b.scope}` as 'scope.day') : b.scope}</dd>
          </div>
          <div>
            <dt>{t('budget.spent')}</dt>
            <dd>{t('budget.of', { spent: spent!, max: amount(b.max) })}</dd>
          </div>
          <div>
            <dt>{t('budget.reserved')}</dt>
            <dd>{amount(b.reserved)}</dd>
          </div>
        </dl>
      )}
      <Field
        label={t('budget.limit', { unit: b?.unit === 'USD' ? t('unit.USD') : t('unit.tokens') })}
        hint={t('budget.hint')}
        wrong={wrong}
      >
        <input
          type="text"
          inputMode="decimal"
          autoComplete="off"
          className={css.number}
          value={limit}
          disabled={busy}
          onChange={(e) => setLimit(e.target.value)}
        />
      </Field>
      <div className={css.buttons}>
        <button type="submit" className="primary" data-do="approve" disabled={busy}>
          {t('budget.yes')}
        </button>
        <button type="button" data-do="refuse" disabled={busy} onClick={() => void decide({ approved: false })}>
          {t('budget.no')}
        </button>
      </div>
    </form>
  );
}

/** The AI reports that a run is done. */
export function Completion({ busy, decide }: AskProps) {
  const t = texts.use();
  const [comment, setComment] = useState('');
  const said = comment.trim() ? { comment: comment.trim() } : {};
  return (
    <>
      <Field label={t('completion.comment')} hint={t('completion.hint')}>
        <textarea
          rows={2}
          maxLength={10_000}
          value={comment}
          disabled={busy}
          data-do="reason"
          onChange={(e) => setComment(e.target.value)}
        />
      </Field>
      <div className={css.buttons}>
        <button
          type="button"
          className="primary"
          data-do="approve"
          disabled={busy}
          onClick={() => void decide({ confirmed: true, ...said })}
        >
          {t('completion.yes')}
        </button>
        <button
          type="button"
          data-do="refuse"
          disabled={busy}
          onClick={() => void decide({ confirmed: false, ...said })}
        >
          {t('completion.no')}
        </button>
      </div>
    </>
  );
}

/** The outcome of an external call is unknown: only a person can find out whether it happened. */
export function Outcome({ approval, busy, decide }: AskProps) {
  const t = texts.use();
  return (
    <>
      <p>{t('outcome.text')}</p>
      {approval.actions.map((a) => (
        <div key={a.id} className="stack tight">
          <p>
            <strong>
              <bdi>{visible(a.text)}</bdi>
            </strong>
          </p>
          <Diff before={a.before} after={a.after} />
          <details className={css.fold}>
            <summary>
              {t('params')} <code>{a.command}</code>
            </summary>
            <pre tabIndex={0}>{visible(JSON.stringify(a.params, null, 2))}</pre>
          </details>
        </div>
      ))}
      <div className={css.buttons}>
        {(['happened', 'did_not', 'run_again'] as const).map((o) => (
          <button key={o} type="button" data-outcome={o} disabled={busy} onClick={() => void decide({ outcome: o })}>
            {t(`outcome.${o}`)}
          </button>
        ))}
      </div>
    </>
  );
}

/** The process died several times at the same step. */
export function Poisoned({ busy, decide }: AskProps) {
  const t = texts.use();
  return (
    <div className={css.buttons}>
      <button
        type="button"
        className="primary"
        data-do="approve"
        disabled={busy}
        onClick={() => void decide({ approved: true })}
      >
        {t('poisoned.yes')}
      </button>
      <button
        type="button"
        className="danger"
        data-do="refuse"
        disabled={busy}
        onClick={() => void decide({ approved: false })}
      >
        {t('poisoned.no')}
      </button>
    </div>
  );
}
