import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, api, body, type Schemas } from '../../api/client';
import { Confirm } from '../../ui/Confirm';
import { Copy } from '../../ui/Copy';
import { Dialog } from '../../ui/Dialog';
import { Empty } from '../../ui/Empty';
import { Read } from '../../ui/Read';
import { Lines } from '../rows/Line';
import { AddWebhook } from './AddWebhook';
import { Deliveries } from './Deliveries';
import { texts } from './textsOfWebhooks';
import { WebhookRow } from './WebhookRow';

export type Webhook = Schemas['Webhook'];

type Doing = { what: 'deliveries' | 'rotate' | 'delete'; webhook: Webhook };

/** The webhooks, and whether their deliveries succeed. */
export function Webhooks() {
  const t = texts.use();
  const queries = useQueryClient();
  const webhooks = $api.useQuery('get', '/v1/webhooks', { params: { query: { limit: 200 } } });
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<Webhook | null>(null);
  const [doing, setDoing] = useState<Doing | null>(null);
  const fresh = () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === '/v1/webhooks' });
  const show = (webhook: Webhook) => {
    setAdding(false);
    setMade(webhook);
    void fresh();
  };
  const path = doing && { params: { path: { webhook_id: doing.webhook.id } } };
  return (
    <div className="stack">
      <p>{t('text')}</p>
      <p>
        <button type="button" className="primary" onClick={() => setAdding(true)}>
          {t('add')}
        </button>
      </p>
      <Read query={webhooks} rows={2}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{t('none')}</Empty>
          ) : (
            <Lines>
              {data.map((webhook) => (
                <WebhookRow
                  key={webhook.id}
                  webhook={webhook}
                  onChange={fresh}
                  onDo={(what) => setDoing({ what, webhook })}
                />
              ))}
            </Lines>
          )
        }
      </Read>
      {adding && <AddWebhook onClose={() => setAdding(false)} onMade={show} />}
      {made && <Secret of={made} onClose={() => setMade(null)} />}
      {doing?.what === 'deliveries' && <Deliveries webhook={doing.webhook} onClose={() => setDoing(null)} />}
      {doing?.what === 'rotate' && (
        <Confirm
          title={t('rotate')}
          yes={t('rotate')}
          onClose={() => setDoing(null)}
          act={async () => show(await body(api.POST('/v1/webhooks/{webhook_id}/rotate', path!)))}
        >
          <p>{t('rotate.text')}</p>
        </Confirm>
      )}
      {doing?.what === 'delete' && (
        <Confirm
          title={t('delete.of', { url: doing.webhook.url.slice(0, 80) })}
          yes={t('delete')}
          danger
          onClose={() => setDoing(null)}
          act={async () => {
            await api.DELETE('/v1/webhooks/{webhook_id}', path!);
            await fresh();
          }}
        >
          <p>{t('delete.text')}</p>
        </Confirm>
      )}
    </div>
  );
}

/** A new secret, shown once. */
function Secret({ of: webhook, onClose }: { of: Webhook; onClose: () => void }) {
  const t = texts.use();
  return (
    <Dialog title={t('secret')} onClose={onClose}>
      <p>
        {t('secret.once')} {webhook.old_secret_until && t('secret.overlap')}
      </p>
      <p className="row">
        <code className="grow" data-new-secret style={{ overflowWrap: 'anywhere' }}>
          {webhook.secret}
        </code>
        <Copy text={webhook.secret ?? ''} />
      </p>
      <p>
        <button type="button" className="primary" onClick={onClose}>
          {t('kept')}
        </button>
      </p>
    </Dialog>
  );
}
