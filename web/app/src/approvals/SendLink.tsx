import { Link as LinkIcon } from 'lucide-react';
import { useState } from 'react';
import { api, body, newKey, type Schemas } from '../api/client';
import { useMay } from '../api/me';
import { useAction } from '../ui/action';
import { Copy } from '../ui/Copy';
import { Dialog } from '../ui/Dialog';
import { Field } from '../ui/Field';
import { IconButton } from '../ui/Icon';
import { ProblemBox } from '../ui/Problem';
import { Time } from '../ui/Time';
import css from './approvals.module.css';
import type { Approval } from './decide';
import { texts } from './textsOfLink';

/** Lets an administrator send this one approval to someone else. */
export function SendLink({ approval }: { approval: Approval }) {
  const t = texts.use();
  const admin = useMay('admin');
  const [open, setOpen] = useState(false);
  if (!admin) return null;
  return (
    <>
      <IconButton
        of={LinkIcon}
        label={t('send')}
        className="plain small"
        data-do="link"
        onClick={() => setOpen(true)}
      />
      {open && <Making approval={approval} onClose={() => setOpen(false)} />}
    </>
  );
}

function Making({ approval, onClose }: { approval: Approval; onClose: () => void }) {
  const t = texts.use();
  const [recipient, setRecipient] = useState('');
  const [link, setLink] = useState<Schemas['ApprovalLink'] | null>(null);
  const make = useAction(async () => {
    const to = recipient.trim();
    setLink(
      await body(
        api.POST('/v1/approvals/{approval_id}/link', {
          params: { path: { approval_id: approval.id }, header: { 'Idempotency-Key': newKey() } },
          body: to ? { recipient: to } : {},
        }),
      ),
    );
  });
  return (
    <Dialog title={t('title')} onClose={onClose}>
      {link ? (
        <Made link={link} recipient={recipient.trim()} />
      ) : (
        <form
          className="stack"
          onSubmit={(e) => {
            e.preventDefault();
            void make.run();
          }}
        >
          <p>{t('text')}</p>
          {approval.actions.some((a) => a.sensitive) && <p className="box warn">{t('sensitive')}</p>}
          <Field label={t('recipient')} hint={t('recipient.hint')}>
            <input
              value={recipient}
              maxLength={200}
              autoComplete="off"
              data-link-recipient
              onChange={(e) => setRecipient(e.target.value)}
            />
          </Field>
          {make.problem != null && <ProblemBox thrown={make.problem} onClose={make.clear} />}
          <p>
            <button type="submit" className="primary" disabled={make.busy}>
              {t('make')}
            </button>
          </p>
        </form>
      )}
    </Dialog>
  );
}

/** The link, shown once: it is not stored. */
function Made({ link, recipient }: { link: Schemas['ApprovalLink']; recipient: string }) {
  const t = texts.use();
  const share = useAction(() =>
    navigator.share({ title: t('share.title'), url: link.url }).catch((thrown: unknown) => {
      // Closing the system's share sheet is not an error.
      if (!(thrown instanceof DOMException && thrown.name === 'AbortError')) throw thrown;
    }),
  );
  return (
    <div className="stack" role="status" data-link-made>
      <p>{recipient ? t('made.for', { name: recipient }) : t('made')}</p>
      <p className={css.link}>
        <code data-link>{link.url}</code>
      </p>
      <p className="row">
        <Copy text={link.url} label={t('copy')} className="primary" />
        {'share' in navigator && (
          <button type="button" disabled={share.busy} onClick={() => void share.run()}>
            {t('share')}
          </button>
        )}
      </p>
      <p className="small muted">
        {t('until')} <Time at={link.expires_at} absolute />
      </p>
      <p>{t('holder')}</p>
      {share.problem != null && <ProblemBox thrown={share.problem} onClose={share.clear} />}
    </div>
  );
}
