import { visible } from '../ui/visible';
import type { AskProps } from './ask';
import { texts } from './texts';
import css from './approvals.module.css';

/** The client that sent the message runs tools of its own: only it can return the results, but anyone may stop
 * waiting for them. */
export function ClientCalls({ approval, busy, decide }: AskProps) {
  const t = texts.use();
  return (
    <>
      <p>{t('client.text')}</p>
      <ul className="small">
        {approval.actions.map((a) => (
          <li key={a.id}>
            <code>{visible(a.text)}</code>
          </li>
        ))}
      </ul>
      <div className={css.buttons}>
        <button type="button" data-do="refuse" disabled={busy} onClick={() => void decide({ approved: false })}>
          {t('client.cancel')}
        </button>
      </div>
    </>
  );
}
