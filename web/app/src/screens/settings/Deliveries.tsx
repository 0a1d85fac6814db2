import { useState } from 'react';
import { $api, api, body, type Schemas } from '../../api/client';
import { useAction } from '../../ui/action';
import { Dialog } from '../../ui/Dialog';
import { Empty } from '../../ui/Empty';
import { ProblemBox } from '../../ui/Problem';
import { Read } from '../../ui/Read';
import { Time } from '../../ui/Time';
import { texts } from './textsOfWebhooks';

type Webhook = Schemas['Webhook'];
type Delivery = Schemas['WebhookDelivery'];

const page = 50;
const most = 200; // the server's page size; older ones are available from the command line

/** A webhook's deliveries and their outcomes, latest first. */
export function Deliveries({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const t = texts.use();
  const [limit, setLimit] = useState(page);
  const path = { webhook_id: webhook.id };
  const list = $api.useQuery(
    'get',
    '/v1/webhooks/{webhook_id}/deliveries',
    { params: { path, query: { limit } } },
    { refetchInterval: 5000 },
  );
  const [sent, setSent] = useState<number | null>(null);
  const again = useAction(async (seq: number) => {
    await body(api.POST('/v1/webhooks/{webhook_id}/replay', { params: { path }, body: { after: seq - 1 } }));
    setSent(seq);
    await list.refetch();
  });
  return (
    <Dialog title={t('deliveries.of', { url: webhook.url.slice(0, 80) })} onClose={onClose}>
      {sent !== null && (
        <p className="box ok" role="status" data-again>
          {t('again.done', { seq: sent })}
        </p>
      )}
      {again.problem != null && <ProblemBox thrown={again.problem} />}
      <Read query={list}>
        {({ data, next_cursor: older }) =>
          data.length === 0 ? (
            <Empty>{t('deliveries.none')}</Empty>
          ) : (
            <>
              <Table of={data} busy={again.busy || !webhook.enabled} onAgain={(seq) => void again.run(seq)} />
              {older && limit < most && (
                <p>
                  <button type="button" onClick={() => setLimit(most)}>
                    {t('deliveries.more')}
                  </button>
                </p>
              )}
            </>
          )
        }
      </Read>
    </Dialog>
  );
}

function Table({ of: all, busy, onAgain }: { of: Delivery[]; busy: boolean; onAgain: (seq: number) => void }) {
  const t = texts.use();
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">{t('event')}</th>
            <th scope="col">{t('state')}</th>
            <th scope="col">{t('tries')}</th>
            <th scope="col">{t('last')}</th>
            <th scope="col">
              <span className="visually-hidden">{t('again')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {all.map((delivery) => (
            <Row key={delivery.seq} of={delivery} busy={busy} onAgain={() => onAgain(delivery.seq)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const badges: Record<Delivery['state'], string> = {
  delivered: 'badge ok',
  retrying: 'badge warn',
  failed: 'badge bad',
  skipped: 'badge',
};

function Row({ of: delivery, busy, onAgain }: { of: Delivery; busy: boolean; onAgain: () => void }) {
  const t = texts.use();
  return (
    <tr data-delivery={delivery.seq}>
      <th scope="row">
        {delivery.seq} <code>{delivery.type}</code>
      </th>
      <td>
        <span className={badges[delivery.state]}>{t(`state.${delivery.state}`)}</span>{' '}
        <span className="small">{delivery.detail}</span>
      </td>
      <td>{delivery.tries}</td>
      <td className="nowrap">
        <Time at={delivery.last_at} />
        {delivery.next_at && (
          <>
            , {t('next')} <Time at={delivery.next_at} />
          </>
        )}
      </td>
      <td>
        {(delivery.state === 'delivered' || delivery.state === 'failed') && (
          <button
            type="button"
            className="small"
            disabled={busy}
            aria-label={t('again.of', { seq: delivery.seq })}
            onClick={onAgain}
          >
            {t('again')}
          </button>
        )}
      </td>
    </tr>
  );
}
