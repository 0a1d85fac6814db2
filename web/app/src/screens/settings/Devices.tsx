import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, api, body, type Schemas } from '../../api/client';
import { asProblem } from '../../api/problem';
import { useFormat } from '../../i18n/format';
import { useAction } from '../../ui/action';
import { Empty } from '../../ui/Empty';
import { ProblemBox } from '../../ui/Problem';
import { Read } from '../../ui/Read';
import { Time } from '../../ui/Time';
import { able, turnOff, turnOn, type Able, type Device } from '../../worker/push';
import { thisDevice } from '../../worker/register';
import { texts as uiTexts } from '../../ui/texts';
import { texts } from './textsOfDevices';

/** The devices on which the reader is told, and whether this is one of them. */
export function Devices() {
  const t = texts.use();
  const tu = uiTexts.use();
  const queries = useQueryClient();
  const key = $api.useQuery('get', '/v1/push-key', undefined, { retry: false });
  const all = $api.useQuery('get', '/v1/me/push-subscriptions');
  const fresh = () =>
    queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === '/v1/me/push-subscriptions' });
  const off = key.error != null && asProblem(key.error).code === 'push_unavailable';
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
                <ul className="plain stack">
                  {data.map((one) => (
                    <Row key={one.id} of={one} onGone={fresh} />
                  ))}
                </ul>
              )}
            </>
          )}
        </Read>
      )}
    </section>
  );
}

/** Turns it on and off where one is. */
function ThisOne({ known, onChange }: { known?: Device; onChange: () => Promise<unknown> }) {
  const t = texts.use();
  const [state, setState] = useState<Able>(able);
  const change = useAction(async () => {
    try {
      await (known ? turnOff(known.id) : turnOn());
    } finally {
      setState(able()); // a person may have said no for good
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
    <li className="card stack tight" data-device={one.id}>
      <div className="row between">
        <strong className="clamp">{name}</strong>
        {one.id === thisDevice() && <span className="badge">{t('this')}</span>}
        {one.failing && <span className="badge bad">{t('failing')}</span>}
      </div>
      <p className="small muted">
        {t('since')} <Time at={one.created_at} />
        {one.last_delivered_at && (
          <>
            {' · '}
            {t('told')} <Time at={one.last_delivered_at} />
          </>
        )}
      </p>
      <p className="row">
        <button
          type="button"
          className="small"
          disabled={tried.busy}
          aria-label={t('test.of', { name })}
          onClick={() => void tried.run()}
        >
          {t('test')}
        </button>
        <button
          type="button"
          className="small"
          disabled={gone.busy}
          aria-label={t('remove.of', { name })}
          onClick={() => void gone.run()}
        >
          {t('remove')}
        </button>
      </p>
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
