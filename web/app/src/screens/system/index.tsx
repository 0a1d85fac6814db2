import { CircleAlert, CircleCheck } from 'lucide-react';
import { Link } from 'wouter';
import { serverURL } from '../../api/base';
import { $api, type Schemas } from '../../api/client';
import { asProblem } from '../../api/problem';
import { useFormat } from '../../i18n/format';
import { Icon } from '../../ui/Icon';
import { Page } from '../../ui/Page';
import { Read } from '../../ui/Read';
import { Elapsed } from '../../ui/session';
import { Time } from '../../ui/Time';
import { Scroll } from '../../ui/Scroll';
import { Invariants } from './Invariants';
import styles from './system.module.css';
import { texts } from './texts';

/** The state of the server. Sections for administrators show a note to others. */
export default function System() {
  const t = texts.use();
  const status = $api.useQuery('get', '/v1/admin/status', undefined, { retry: false, refetchInterval: 10_000 });
  const forbidden = status.error != null && asProblem(status.error).status === 403;
  return (
    <Page title={t('title')}>
      <Verdict status={forbidden ? undefined : status.data} unread={!forbidden && status.error != null} />
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
      <Version />
      <p className="row small">
        <a href={serverURL('/docs')}>{t('docs')}</a>
        <a href={serverURL('/metrics')}>{t('metrics')}</a>
      </p>
    </Page>
  );
}

/** One sentence: all is well, or what the problem is. Its space is reserved while it is loading. */
function Verdict({ status, unread }: { status: Schemas['NodeStatus'] | undefined; unread: boolean }) {
  const t = texts.use();
  const ready = $api.useQuery('get', '/readyz', undefined, { retry: false, refetchInterval: 10_000 });
  const wrong = [
    ...(ready.error ? [t('ready.no', { why: asProblem(ready.error).message })] : []),
    ...(unread ? [t('unread')] : []),
    ...(status?.draining ? [t('draining')] : []),
    ...(status && status.nodes.some((n) => !n.alive)
      ? [t('nodes.gone', { n: status.nodes.filter((n) => !n.alive).length })]
      : []),
    ...(status && status.breakers.some((b) => b.state !== 'closed')
      ? [t('breakers.down', { n: status.breakers.filter((b) => b.state !== 'closed').length })]
      : []),
  ];
  const known = ready.data !== undefined || ready.error != null;
  const well = known && wrong.length === 0;
  return (
    <div
      className={styles.verdict}
      role="status"
      data-ready={known ? (ready.error ? 'no' : 'yes') : ''}
      data-well={well}
    >
      {known && (
        <>
          <span className={well ? styles.well : styles.wrong}>
            <Icon of={well ? CircleCheck : CircleAlert} size={20} />
          </span>
          <strong>{well ? t('well') : wrong.join(' ')}</strong>
        </>
      )}
    </div>
  );
}

function Version() {
  const t = texts.use();
  const version = $api.useQuery('get', '/version');
  const { version: name, commit, built_at: built } = version.data ?? {};
  return (
    <p className={`small muted ${styles.version}`}>
      {name && `${t('version')} ${name}`}
      {commit && (
        <>
          {' · '}
          <code>{commit.slice(0, 12)}</code>
        </>
      )}
      {built && (
        <>
          {' · '}
          {t('version.built')} <Time at={built} />
        </>
      )}
    </p>
  );
}

function Here({ status }: { status: Schemas['NodeStatus'] }) {
  const t = texts.use();
  const f = useFormat();
  const database = `database.${status.database}`;
  return (
    <section className="stack tight" aria-labelledby="node">
      <h2 id="node">{t('node')}</h2>
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
                <td className="nowrap">
                  <span className={node.alive ? 'badge ok' : 'badge bad'}>{t(node.alive ? 'alive' : 'gone')}</span>
                </td>
                <td className="number">{f.number(node.sessions)}</td>
                <td className="nowrap">
                  <Time at={node.lease_until} />
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
        <ul className="rows">
          {breakers.map((b) => (
            <li key={`${b.provider_id} ${b.model}`} className="stack tight" data-breaker={b.state}>
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
                {b.provider_id !== null && b.state !== 'closed' && (
                  <>
                    {' · '}
                    <Link href="/settings/providers">{t('breaker.check')}</Link>
                  </>
                )}
              </p>
              {b.last_error && (
                <details className="small">
                  <summary>{t('details')}</summary>
                  <span lang="en">{b.last_error}</span>
                </details>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
