import { Smartphone } from 'lucide-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, api, body, type Schemas } from '../../api/client';
import { asProblem } from '../../api/problem';
import { useFormat } from '../../i18n/format';
import { useAction } from '../../ui/action';
import { Empty } from '../../ui/Empty';
import { ProblemBox } from '../../ui/Problem';
import { Read } from '../../ui/Read';
import { Status } from '../../ui/Status';
import { Time } from '../../ui/Time';
import { visible } from '../../ui/visible';
import { able, turnOff, turnOn, type Able, type Device } from '../../worker/push';
import { thisDevice } from '../../worker/register';
import { texts as uiTexts } from '../../ui/texts';
import { Line, Lines } from '../rows/Line';
import { Menu } from '../rows/Menu';
import { texts } from './textsOfDevices';

/** The devices that receive the reader's notifications, and whether this is one of them. */
export function Devices() {
  const t = texts.use();
  const tu = uiTexts.use();
  const queries = useQueryClient();
  const key = $api.useQuery('get', '/v1/push-key', undefined, { retry: false });
  const all = $api.useQuery('get', '/v1/me/push-subscriptions');
  const fresh = () =>
    queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === '/v1/me/push-subscriptions' });
  const refused = key.error != null && asProblem(key.error).code === 'push_unavailable';
  // A refetch clears the error for a moment; until it is done nothing is offered that the server may not support.
  const [off, setOff] = useState(refused);
  if (!key.isPending && off !== refused) setOff(refused);
  return (
    <section className="stack" aria-labelledby="devices" data-devices>
      <h3 id="devices">{t('devices')}</h3>
      <p className="muted small">{t('devices.text')}</p>
      {off ? (
        <p className="box warn" data-push-off>
          {tu('code.push_unavailable')}
        </p>
      ) : (
        <Read query={all}>
          {({ data }) => (
            <>
              <ThisOne known={data.find((one) => one.id === thisDevice())} onChange={fresh} />
              {data.length === 0 ? (
                <Empty>{t('devices.none')}</Empty>
              ) : (
                <Lines columns={[t('since'), t('told')]}>
                  {data.map((one) => (
                    <Row key={one.id} of={one} onGone={fresh} />
                  ))}
                </Lines>
              )}
            </>
          )}
        </Read>
      )}
    </section>
  );
}

/** Turns notifications on and off on this device. */
function ThisOne({ known, onChange }: { known?: Device; onChange: () => Promise<unknown> }) {
  const t = texts.use();
  const [state, setState] = useState<Able>(able);
  const change = useAction(async () => {
    try {
      await (known ? turnOff(known.id) : turnOn());
    } finally {
      setState(able()); // a person may have denied permission permanently
      await onChange();
    }
  });
  return (
    <div className="stack tight" data-able={state}>
      {state === 'yes' || known ? (
        <p>
          <button
            type="button"
            className={known ? '' : 'primary'}
            disabled={change.busy}
            onClick={() => void change.run()}
          >
            {t(known ? 'stop' : 'start')}
          </button>
        </p>
      ) : (
        <p className="box warn">{t(`able.${state}`)}</p>
      )}
      {change.problem != null && state !== 'denied' && <ProblemBox thrown={change.problem} onClose={change.clear} />}
    </div>
  );
}

function Row({ of: one, onGone }: { of: Device; onGone: () => Promise<unknown> }) {
  const t = texts.use();
  const tu = uiTexts.use();
  const f = useFormat();
  const [test, setTest] = useState<Schemas['WebhookTest'] | null>(null);
  const path = { params: { path: { push_subscription_id: one.id } } };
  const tried = useAction(async () =>
    setTest(await body(api.POST('/v1/me/push-subscriptions/{push_subscription_id}/test', path))),
  );
  const gone = useAction(async () => {
    await turnOff(one.id);
    await onGone();
  });
  const name = one.name || t('device');
  const problem = tried.problem ?? gone.problem;
  return (
    <li data-device={one.id}>
      <Line
        icon={Smartphone}
        name={<bdi>{visible(name)}</bdi>}
        facts={[
          <Time key="since" at={one.created_at} />,
          one.last_delivered_at && <Time key="told" at={one.last_delivered_at} />,
        ]}
        status={
          <>
            {one.id === thisDevice() && <span className="badge">{t('this')}</span>}
            {one.failing && <Status is="bad">{t('failing')}</Status>}
            {tried.busy && <Status is="waits">{t('test.runs')}</Status>}
          </>
        }
      >
        <Menu label={tu('actions', { name: name.slice(0, 100) })}>
          <button
            type="button"
            disabled={tried.busy}
            aria-label={t('test.of', { name })}
            onClick={() => void tried.run()}
          >
            {t('test')}
          </button>
          <button
            type="button"
            disabled={gone.busy}
            aria-label={t('remove.of', { name })}
            onClick={() => void gone.run()}
          >
            {t('remove')}
          </button>
        </Menu>
      </Line>
      {test && (
        <p
          className={`box ${test.ok ? 'ok' : 'bad'}`}
          role={test.ok ? 'status' : 'alert'}
          data-test={test.ok ? 'ok' : 'failed'}
        >
          {test.ok
            ? t('test.ok', { time: f.duration(test.latency_ms) })
            : t('test.failed', { detail: test.detail ?? '' })}
        </p>
      )}
      {problem != null && <ProblemBox thrown={problem} />}
    </li>
  );
}
