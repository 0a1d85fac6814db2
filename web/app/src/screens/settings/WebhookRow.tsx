import { Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { api, body, type Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { useAction } from '../../ui/action';
import { ProblemBox } from '../../ui/Problem';
import { Status } from '../../ui/Status';
import { texts as uiTexts } from '../../ui/texts';
import { Time, useNow } from '../../ui/Time';
import { visible } from '../../ui/visible';
import { Line } from '../rows/Line';
import { Menu } from '../rows/Menu';
import { texts } from './textsOfWebhooks';

type Webhook = Schemas['Webhook'];

interface Props {
  webhook: Webhook;
  onChange: () => Promise<unknown>;
  onDo: (what: 'deliveries' | 'rotate' | 'delete') => void;
}

/** One webhook: its address, state and actions. */
export function WebhookRow({ webhook, onChange, onDo }: Props) {
  const t = texts.use();
  const tu = uiTexts.use();
  const path = { params: { path: { webhook_id: webhook.id } } };
  const [test, setTest] = useState<Schemas['WebhookTest'] | null>(null);
  const tried = useAction(async () => setTest(await body(api.POST('/v1/webhooks/{webhook_id}/test', path))));
  const toggled = useAction(async () => {
    await body(api.PATCH('/v1/webhooks/{webhook_id}', { ...path, body: { enabled: !webhook.enabled } }));
    await onChange();
  });
  const linked = useAction(async () => {
    await body(api.PATCH('/v1/webhooks/{webhook_id}', { ...path, body: { links: !webhook.links } }));
    await onChange();
  });
  const problem = tried.problem ?? toggled.problem ?? linked.problem;
  return (
    <li data-webhook={webhook.id}>
      <Line
        icon={WebhookIcon}
        name={<bdi>{visible(webhook.url)}</bdi>}
        meta={<code>{webhook.types.join(', ')}</code>}
        status={tried.busy ? <Status is="waits">{t('test.runs')}</Status> : <State of={webhook} />}
      >
        <Menu label={tu('actions', { name: webhook.url.slice(0, 100) })}>
          <button type="button" onClick={() => onDo('deliveries')}>
            {t('deliveries')}
          </button>
          <button type="button" disabled={tried.busy} onClick={() => void tried.run()}>
            {t('test')}
          </button>
          <button type="button" disabled={toggled.busy} onClick={() => void toggled.run()}>
            {webhook.enabled ? t('disable') : t('enable')}
          </button>
          {(webhook.links || webhook.types.includes('approval.requested')) && (
            <button type="button" disabled={linked.busy} onClick={() => void linked.run()}>
              {webhook.links ? t('links.stop') : t('links.start')}
            </button>
          )}
          <button type="button" onClick={() => onDo('rotate')}>
            {t('rotate')}
          </button>
          <button type="button" onClick={() => onDo('delete')}>
            {t('delete')}
          </button>
        </Menu>
      </Line>
      {webhook.links && (
        <p className="small muted" data-links>
          {t('links.on')}
        </p>
      )}
      <Trouble of={webhook} />
      {test && <TestResult of={test} />}
      {problem != null && <ProblemBox thrown={problem} />}
    </li>
  );
}

function State({ of: webhook }: { of: Webhook }) {
  const t = texts.use();
  if (!webhook.enabled) return <Status is={webhook.disabled_reason ? 'bad' : 'paused'}>{t('off')}</Status>;
  if (webhook.failing_since) return <Status is="bad">{t('failing')}</Status>;
  return <Status is="ok">{t('good')}</Status>;
}

/** Why deliveries fail. */
function Trouble({ of: webhook }: { of: Webhook }) {
  const t = texts.use();
  const now = useNow();
  const reason = `reason.${webhook.disabled_reason}`;
  return (
    <>
      {webhook.disabled_reason && <p className="small">{t.has(reason) ? t(reason) : webhook.disabled_reason}</p>}
      {webhook.enabled && webhook.failing_since && (
        <p className="small">
          {t('failing.since')} <Time at={webhook.failing_since} />
        </p>
      )}
      {webhook.enabled && webhook.paused_until && Date.parse(webhook.paused_until) > now && (
        <p className="small">
          {t('paused')} <Time at={webhook.paused_until} />
        </p>
      )}
    </>
  );
}

function TestResult({ of: test }: { of: Schemas['WebhookTest'] }) {
  const t = texts.use();
  const f = useFormat();
  return test.ok ? (
    <p className="box ok" role="status" data-test="ok">
      {t('test.ok', { status: test.status ?? '', time: f.duration(test.latency_ms) })} {test.detail}
    </p>
  ) : (
    <p className="box bad" role="alert" data-test="failed">
      {t('test.failed', { detail: test.detail ?? '' })}
    </p>
  );
}
