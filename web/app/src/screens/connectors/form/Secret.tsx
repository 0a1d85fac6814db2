import { Copy } from '../../../ui/Copy';
import { Dialog } from '../../../ui/Dialog';
import type { Connector } from '../connector';
import { texts } from '../texts';

/** The new signing secret, shown once. */
export function Secret({ of: c, onClose }: { of: Connector; onClose: () => void }) {
  const t = texts.use();
  const made = String((c.config as Record<string, unknown>).signing_secret ?? '');
  return (
    <Dialog title={t('secret')} onClose={onClose}>
      <p>{t('secret.once')}</p>
      <p className="row">
        <code className="grow" data-new-secret style={{ overflowWrap: 'anywhere' }}>
          {made}
        </code>
        <Copy text={made} label={t('secret.copy')} />
      </p>
      <p>
        <button type="button" className="primary" onClick={onClose}>
          {t('secret.kept')}
        </button>
      </p>
    </Dialog>
  );
}
