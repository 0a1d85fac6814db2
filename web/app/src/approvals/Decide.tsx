import { useId, useRef, useState } from 'react';
import { Field } from '../ui/Field';
import { focusAfter } from '../ui/focus';
import css from './approvals.module.css';
import { texts } from './texts';

interface Props {
  busy: boolean;
  approve: () => void;
  /** The text of the approve button. */
  label: string;
  /** No change is selected. */
  none: boolean;
  /** Not all effects of the approval are drawn. */
  more: boolean;
  /** The number of dangerous changes that had not been visible when it was pressed. */
  hidden: number;
  refuse: (comment: string) => Promise<boolean>;
}

/** Approve, or refuse with a reason for the AI. */
export function Decide({ busy, approve, label, none, more, hidden, refuse }: Props) {
  const t = texts.use();
  const [refusing, setRefusing] = useState(false);
  const [comment, setComment] = useState('');
  const hint = useId();
  const box = useRef<HTMLDivElement>(null);
  const change = (to: boolean, focus: string) => {
    focusAfter(
      () => setRefusing(to),
      () => box.current?.querySelector<HTMLElement>(focus),
    );
  };
  const open = () => change(true, 'textarea');
  const back = () => change(false, '[data-do=refuse]');
  if (!refusing) {
    return (
      <div ref={box} className={css.buttons}>
        <button
          type="button"
          className="primary"
          data-do="approve"
          disabled={busy || none}
          aria-describedby={none || more || hidden ? hint : undefined}
          onClick={approve}
        >
          {label}
        </button>
        <button type="button" data-do="refuse" disabled={busy} onClick={open}>
          {t('refuse.open')}
        </button>
        {hidden > 0 && !none && (
          <p id={hint} className={css.look} role="alert" data-look>
            {t('look.first', { n: hidden })}
          </p>
        )}
        {(none || (more && !hidden)) && (
          <p id={hint} className="small muted" data-more={more || undefined}>
            {t(none ? 'none.chosen' : 'cut.above')}
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
