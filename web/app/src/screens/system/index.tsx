import { $api, type Schemas } from '../../api/client';
import { asProblem } from '../../api/problem';
import { useFormat } from '../../i18n/format';
import { Page } from '../../ui/Page';
import { Read } from '../../ui/Read';
import { Elapsed } from '../../ui/session';
import { Time } from '../../ui/Time';
import { Scroll } from '../../ui/Scroll';
import { Invariants } from './Invariants';
import styles from './system.module.css';
import { texts } from './texts';

/** How the server is. What only administrators may see says so to others. */
export default function System() {
  const t = texts.use();
  const status = $api.useQuery('get', '/v1/admin/status', undefined, { retry: false, refetchInterval: 10_000 });
  const forbidden = status.error != null && asProblem(status.error).status === 403;
  return (
    <Page title={t('title')}>
      <Version />
      {forbidden ? (
        <p className="box warn">{t('forbidden')}</p>
      ) : (
        <>
          <Read query={status}>
            {(s) => (
              <>
                <Here status={s} />
                {s.nodes.length > 0 && <Nodes status={s} />}
                <Breakers breakers={s.breakers} />
              </>
            )}
          </Read>
          <Invariants />
        </>
      )}
      <p className="row small">
        <a href="/docs">{t('docs')}</a>
        <a href="/metrics">{t('metrics')}</a>
      </p>
    </Page>
  );
}

function Version() {
  const t = texts.use();
  const version = $api.useQuery('get', '/version');
  const ready = $api.useQuery('get', '/readyz', undefined, { retry: false, refetchInterval: 10_000 });
  return (
    <section className="card">
      <dl className={styles.facts}>
        <div>
          <dt>{t('ready')}</dt>
          <dd data-ready={ready.error ? 'no' : ready.data ? 'yes' : ''}>
            {ready.error ? t('ready.no', { why: asProblem(ready.error).message }) : ready.data ? t('ready.yes') : ''}
          </dd>
        </div>
        <div>
          <dt>{t('version')}</dt>
          <dd>{version.data?.version}</dd>
        </div>
        {version.data?.commit && (
          <div>
            <dt>{t('version.commit')}</dt>
            <dd>
              <code>{version.data.commit}</code>
            </dd>
          </div>
        )}
        {version.data?.built_at && (
          <div>
            <dt>{t('version.built')}</dt>
            <dd>{version.data.built_at}</dd>
          </div>
        )}
      </dl>
    </section>
  );
}

function Here({ status }: { status: Schemas['NodeStatus'] }) {
  const t = texts.use();
  const f = useFormat();
  const database = `database.${status.database}`;
  return (
    <section className="card stack tight" aria-labelledby="node">
      <h2 id="node">{t('node')}</h2>
      {status.draining && <p className="box warn">{t('draining')}</p>}
      <dl className={styles.facts}>
        <div>
          <dt>{t('name')}</dt>
          <dd>{status.node}</dd>
        </div>
        <div>
          <dt>{t('database')}</dt>
          <dd>{t.has(database) ? t(database) : status.database}</dd>
        </div>
        <div>
          <dt>{t('started')}</dt>
          <dd>
            <Elapsed since={status.started_at} />
          </dd>
        </div>
        <div>
          <dt>{t('sessions')}</dt>
          <dd>{f.number(status.sessions)}</dd>
        </div>
        <div>
          <dt>{t('clients')}</dt>
          <dd>{f.number(status.stream_clients)}</dd>
        </div>
        {status.lease_until && (
          <div>
            <dt>{t('lease')}</dt>
            <dd>{f.clock(status.lease_until)}</dd>
          </div>
        )}
      </dl>
    </section>
  );
}

function Nodes({ status }: { status: Schemas['NodeStatus'] }) {
  const t = texts.use();
  const f = useFormat();
  return (
    <section className="stack tight" aria-labelledby="nodes">
      <h2 id="nodes">{t('nodes')}</h2>
      <Scroll label={t('nodes')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('col.node')}</th>
              <th scope="col">{t('col.state')}</th>
              <th scope="col" className="number">
                {t('col.sessions')}
              </th>
              <th scope="col">{t('col.lease')}</th>
            </tr>
          </thead>
          <tbody>
            {status.nodes.map((node) => (
              <tr key={node.incarnation} data-node={node.id}>
                <th scope="row">
                  {node.id}
                  {node.incarnation === status.incarnation && (
                    <>
                      {' '}
                      <span className="badge">{t('here')}</span>
                    </>
                  )}
                </th>
                <td>
                  <span className={node.alive ? 'badge ok' : 'badge bad'}>{t(node.alive ? 'alive' : 'gone')}</span>
                </td>
                <td className="number">{f.number(node.sessions)}</td>
                <td className="nowrap">
                  <Time at={node.lease_until} absolute />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

function Breakers({ breakers }: { breakers: Schemas['Breaker'][] }) {
  const t = texts.use();
  const f = useFormat();
  const providers = $api.useQuery('get', '/v1/providers', { params: { query: { limit: 200 } } }).data?.data ?? [];
  const state = (b: Schemas['Breaker']) => {
    if (b.state === 'open') return b.until ? t('breaker.open', { time: f.clock(b.until) }) : t('breaker.open.now');
    const key = `breaker.${b.state}`;
    return t.has(key) ? t(key) : b.state;
  };
  return (
    <section className="stack tight" aria-labelledby="breakers">
      <h2 id="breakers">{t('breakers')}</h2>
      {breakers.length === 0 ? (
        <p className="muted">{t('breakers.none')}</p>
      ) : (
        <ul className="plain stack tight">
          {breakers.map((b) => (
            <li key={`${b.provider_id} ${b.model}`} className="card stack tight" data-breaker={b.state}>
              <p className="row">
                <strong className="clamp">
                  {b.provider_id === null
                    ? t('breaker.demo')
                    : (providers.find((p) => p.id === b.provider_id)?.name ?? b.provider_id)}
                </strong>
                <span className="muted">{b.model ?? t('breaker.all')}</span>
                <span className={b.state === 'closed' ? 'badge' : 'badge bad'}>{state(b)}</span>
              </p>
              <p className="small">
                {t('breaker.failures', { n: b.failures })}
                {b.last_error && ` · ${b.last_error}`}
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
