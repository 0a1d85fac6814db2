import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { $api, api, body, type Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { announce } from '../../shell/announce';
import { useAction } from '../../ui/action';
import { ProblemBox } from '../../ui/Problem';
import { Read } from '../../ui/Read';
import { ServerText } from '../../ui/ServerText';
import { Time, useNow } from '../../ui/Time';
import { Commands } from './commands/Commands';
import css from './connectors.module.css';
import { addressOf, isWritten, statusOf, type Connector } from './connector';
import { DeleteConnector } from './Delete';
import { EditConnector } from './form/Edit';
import { useConnectorsFresh } from './fresh';
import { SignIn } from './SignIn';
import { Status } from './Status';
import { Tested } from './Tested';
import { texts } from './texts';

interface StepsProps {
  of: Connector;
  onEdit: () => void;
}

/** One connector: state, actions and commands. */
export function One({ id }: { id: string }) {
  const t = texts.use();
  const query = $api.useQuery(
    'get',
    '/v1/connectors/{connector_id}',
    { params: { path: { connector_id: id } } },
    { refetchInterval: 10_000 },
  );
  return (
    <div className="stack">
      <p>
        <Link href="/settings/connectors">← {t('back')}</Link>
      </p>
      <Read query={query}>{(connector) => <Shown of={connector} />}</Read>
    </div>
  );
}

function Shown({ of: c }: { of: Connector }) {
  const t = texts.use();
  const [editing, setEditing] = useState(false);
  if (editing) return <EditConnector of={c} onClose={() => setEditing(false)} />;
  return (
    <article className="stack" data-connector={c.id} data-status={c.status}>
      <header className="stack tight">
        <div className="row between">
          <h3 className="clamp grow">
            <bdi>{c.name}</bdi>
          </h3>
          <Status of={c} />
        </div>
        <p className="row small muted">
          <code>{c.prefix}</code>
          <span>{t(`kind.${c.kind}`)}</span>
          <span className={css.address}>{addressOf(c)}</span>
        </p>
        <Trouble of={c} onEdit={() => setEditing(true)} />
      </header>
      <Steps of={c} onEdit={() => setEditing(true)} />
      <Commands of={c} />
    </article>
  );
}

/** Its problem, and how to fix it. */
function Trouble({ of: c, onEdit }: StepsProps) {
  const t = texts.use();
  const f = useFormat();
  const now = useNow();
  const status = statusOf(c, now);
  if (status === 'disabled') return null;
  if (status === 'ready') return c.status_detail ? <ServerText text={c.status_detail} /> : null;
  return (
    <div className={`box stack tight ${status === 'unreachable' ? 'bad' : 'warn'}`} data-trouble={status}>
      {status === 'unreachable' && <p>{t('unreachable.text')}</p>}
      {c.status_detail && <ServerText text={c.status_detail} />}
      {status === 'paused' && <p>{t('paused.until', { time: f.relative(c.paused_until!, now) })}</p>}
      {status === 'needs_sign_in' && <p>{t('needs_sign_in.text')}</p>}
      {status === 'needs_sign_in' && <LetIn of={c} onEdit={onEdit} />}
    </div>
  );
}

/** The ways to authorize: by sign-in, or with a token. */
function LetIn({ of: c, onEdit }: StepsProps) {
  const t = texts.use();
  const fresh = useConnectorsFresh();
  const path = { path: { connector_id: c.id } };
  const byPerson = useAction(async () => {
    await body(api.PATCH('/v1/connectors/{connector_id}', { params: path, body: { config: { auth: 'oauth' } } }));
    await api.POST('/v1/connectors/{connector_id}/test', { params: path });
    await fresh();
  });
  const { auth, url } = c.config as { auth?: string; url?: string };
  if (auth === 'oauth') return <SignIn of={c} />;
  return (
    <div className="stack tight">
      <p className="row">
        {c.kind === 'mcp' && url && (
          <button type="button" className="primary" disabled={byPerson.busy} onClick={() => void byPerson.run()}>
            {t('let_in.person')}
          </button>
        )}
        <button type="button" onClick={onEdit}>
          {t('let_in.token')}
        </button>
      </p>
      {byPerson.problem != null && <ProblemBox thrown={byPerson.problem} />}
    </div>
  );
}

/** Test, list again, turn on and off, edit, delete. */
function Steps({ of: c, onEdit }: StepsProps) {
  const t = texts.use();
  const fresh = useConnectorsFresh();
  const [, go] = useLocation();
  const [deleting, setDeleting] = useState(false);
  const [result, setResult] = useState<Schemas['ConnectorTest'] | null>(null);
  const path = { path: { connector_id: c.id } };
  const test = useAction(async () => {
    setResult(null);
    setResult(await body(api.POST('/v1/connectors/{connector_id}/test', { params: path })));
    await fresh();
  });
  const refresh = useAction(async () => {
    await body(api.POST('/v1/connectors/{connector_id}/refresh', { params: path }));
    announce(t('refresh.done'));
    await fresh();
  });
  const toggle = useAction(async () => {
    await body(api.PATCH('/v1/connectors/{connector_id}', { params: path, body: { enabled: !c.enabled } }));
    await fresh();
  });
  const problem = test.problem ?? refresh.problem ?? toggle.problem;
  return (
    <div className="stack tight">
      <p className="row">
        <button type="button" className="small" disabled={test.busy} onClick={() => void test.run()}>
          {t(test.busy ? 'test.runs' : 'test')}
        </button>
        {!isWritten(c) && (
          <button type="button" className="small" disabled={refresh.busy} onClick={() => void refresh.run()}>
            {t(refresh.busy ? 'refresh.runs' : 'refresh')}
          </button>
        )}
        <button type="button" className="small" onClick={onEdit}>
          {t('edit')}
        </button>
        <button type="button" className="small" disabled={toggle.busy} onClick={() => void toggle.run()}>
          {t(c.enabled ? 'disable' : 'enable')}
        </button>
        <button type="button" className="small danger" onClick={() => setDeleting(true)}>
          {t('delete')}
        </button>
      </p>
      {result && <Tested result={result} />}
      {problem != null && <ProblemBox thrown={problem} />}
      {!isWritten(c) && (
        <p className="small muted">
          {c.last_listed_at ? (
            <>
              {t('listed')} <Time at={c.last_listed_at} />
            </>
          ) : (
            t('listed.never')
          )}
        </p>
      )}
      {deleting && (
        <DeleteConnector of={c} onClose={() => setDeleting(false)} onDeleted={() => go('/settings/connectors')} />
      )}
    </div>
  );
}
