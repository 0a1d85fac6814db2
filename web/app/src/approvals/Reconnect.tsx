import { useEffect, useRef, useState } from 'react';
import { api, body, newKey } from '../api/client';
import { useAction } from '../ui/action';
import { ProblemBox } from '../ui/Problem';
import { visible } from '../ui/visible';
import type { AskProps } from './ask';
import { texts } from './texts';
import css from './approvals.module.css';

/** The connector whose server asks. */
export function Source({ approval }: Pick<AskProps, 'approval'>) {
  const from = approval.reasons.filter((r) => r.level === 'connector');
  if (!from.length) return null;
  return (
    <p className="small muted" data-source>
      {from.map((r) => (
        <bdi key={r.id}>{visible(r.text)}</bdi>
      ))}
      {approval.actions.map((a) => (
        <bdi key={a.id} title={visible(a.command)}>
          {' '}
          {visible(a.text)}
        </bdi>
      ))}
    </p>
  );
}

/** A person has to sign in to a connector: the link to do so, and a button to refuse. The link is requested on
 * demand, since it works once and expires soon. */
export function Reconnect({ approval, busy, decide }: AskProps) {
  const t = texts.use();
  const connector = approval.reasons.find((r) => r.level === 'connector')?.id ?? '';
  const [link, setLink] = useState('');
  const opened = useRef<HTMLAnchorElement>(null);
  const begin = useAction(async () => {
    const begun = await body(
      api.POST('/v1/connectors/{connector_id}/sign-in', {
        params: { path: { connector_id: connector }, header: { 'Idempotency-Key': newKey() } },
      }),
    );
    setLink(begun.url);
  });
  useEffect(() => {
    if (link) opened.current?.focus();
  }, [link]);
  return (
    <>
      <Source approval={approval} />
      <p>{t(link ? 'reconnect.opened' : 'reconnect.text')}</p>
      <div className={css.buttons}>
        {link ? (
          <a
            ref={opened}
            className="button primary"
            href={link}
            target="_blank"
            rel="noopener noreferrer"
            data-do="sign-in"
          >
            {t('reconnect.open')}
          </a>
        ) : (
          <button
            type="button"
            className="primary"
            data-do="begin-sign-in"
            disabled={busy || begin.busy}
            onClick={() => void begin.run()}
          >
            {t('reconnect.begin')}
          </button>
        )}
        <button type="button" data-do="approve" disabled={busy} onClick={() => void decide({ approved: true })}>
          {t('reconnect.again')}
        </button>
        <button type="button" data-do="refuse" disabled={busy} onClick={() => void decide({ approved: false })}>
          {t('reconnect.no')}
        </button>
      </div>
      {begin.problem != null && <ProblemBox thrown={begin.problem} onClose={begin.clear} />}
    </>
  );
}
