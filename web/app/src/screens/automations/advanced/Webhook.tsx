import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client';
import { announce } from '../../../shell/announce';
import { Confirm } from '../../../ui/Confirm';
import { Copy } from '../../../ui/Copy';
import { advancedTexts } from './texts';
import type { Automation } from '../draft/draft';

/** The address that starts a run. It is the only credential, so it is hidden until revealed. */
export function Webhook({ automation: a }: { automation?: Automation }) {
  const t = advancedTexts.use();
  const queries = useQueryClient();
  const [shown, setShown] = useState(false);
  const [renewing, setRenewing] = useState(false);
  const url = a?.webhook_url;
  if (!a || !url)
    return (
      <p className="muted small">
        {t(a?.triggers.some((trigger) => trigger.type === 'webhook') ? 'hook.members' : 'hook.later')}
      </p>
    );
  const curl = `curl -X POST '${url}' -H 'Content-Type: application/json' -d '{}'`;
  return (
    <div className="stack tight" data-webhook>
      <p className="small">{t('hook.what')}</p>
      <p className="box mono">{shown ? url : `${url.slice(0, url.lastIndexOf('/') + 1)}${'•'.repeat(12)}`}</p>
      <div className="row">
        <button type="button" className="small" aria-pressed={shown} onClick={() => setShown(!shown)}>
          {t(shown ? 'hook.hide' : 'hook.show')}
        </button>
        <Copy text={url} label={t('hook.copy')} />
        <Copy text={curl} label={t('hook.curl')} />
        <button type="button" className="plain small" onClick={() => setRenewing(true)}>
          {t('hook.renew')}
        </button>
      </div>
      {renewing && (
        <Confirm
          title={t('hook.renew.title')}
          yes={t('hook.renew.yes')}
          danger
          onClose={() => setRenewing(false)}
          act={async () => {
            await api.POST('/v1/automations/{automation_id}/webhook', { params: { path: { automation_id: a.id } } });
            await queries.invalidateQueries({
              predicate: ({ queryKey }) => typeof queryKey[1] === 'string' && queryKey[1].startsWith('/v1/automations'),
            });
            setShown(true);
            announce(t('hook.renewed'));
          }}
        >
          <p>{t('hook.renew.text')}</p>
        </Confirm>
      )}
    </div>
  );
}
