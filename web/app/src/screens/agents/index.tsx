import { Bot } from 'lucide-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { $api, api, body, type Schemas } from '../../api/client';
import { useAction } from '../../ui/action';
import { Confirm } from '../../ui/Confirm';
import { ProblemBox } from '../../ui/Problem';
import { Read } from '../../ui/Read';
import { Status } from '../../ui/Status';
import { texts as uiTexts } from '../../ui/texts';
import { visible } from '../../ui/visible';
import { Line, Lines } from '../rows/Line';
import { Menu } from '../rows/Menu';
import { AgentForm } from './AgentForm';
import { texts } from './texts';
import { TryAgent } from './Try';

type Agent = Schemas['Agent'];

/** Agents: the list, one that is edited, or a new one. */
export function Agents({ item }: { item?: string }) {
  if (item === 'new') return <AgentForm agent={null} />;
  return item ? <Edit key={item} id={item} /> : <All />;
}

function Edit({ id }: { id: string }) {
  const agent = $api.useQuery('get', '/v1/agents/{agent_id}', { params: { path: { agent_id: id } } });
  return <Read query={agent}>{(a) => <AgentForm agent={a} />}</Read>;
}

function All() {
  const t = texts.use();
  const agents = $api.useQuery('get', '/v1/agents', { params: { query: { limit: 200 } } });
  return (
    <div className="stack">
      <p>{t('text')}</p>
      <p>
        <Link href="/settings/agents/new" className="button primary">
          {t('add')}
        </Link>
      </p>
      <Read query={agents} rows={2}>
        {({ data }) => (
          <Lines columns={[t('col.commands'), t('col.version')]}>
            {data.map((a) => (
              <Row key={a.id} of={a} />
            ))}
          </Lines>
        )}
      </Read>
    </div>
  );
}

/** Its description; the original one of a built-in agent is in the page's language. */
function about({ id, built_in, version, description }: Agent, t: typeof texts.t): string {
  const key = `about.${id}`;
  return built_in && version === 1 && t.has(key) ? t(key) : description;
}

function Row({ of: a }: { of: Agent }) {
  const t = texts.use();
  const tu = uiTexts.use();
  const queries = useQueryClient();
  const [doing, setDoing] = useState<'try' | 'delete' | null>(null);
  const path = { params: { path: { agent_id: a.id } } };
  const fresh = () =>
    queries.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[1]).startsWith('/v1/agents') });
  const toggle = useAction(async () => {
    await body(api.PATCH('/v1/agents/{agent_id}', { ...path, body: { enabled: !a.enabled } }));
    await fresh();
  });
  // A built-in one cannot be deleted, only reset.
  const restores = a.built_in;
  return (
    <li data-agent={a.id}>
      <Line
        icon={Bot}
        name={
          <Link href={`/settings/agents/${a.id}`}>
            <bdi>{visible(a.name)}</bdi>
          </Link>
        }
        meta={
          <>
            <code>{a.command}</code>
            {a.built_in && <span>{t('built.in')}</span>}
            <bdi>{visible(about(a, t))}</bdi>
          </>
        }
        facts={[a.commands.length, a.version]}
        status={<Status is={a.enabled ? 'ok' : 'paused'}>{t(a.enabled ? 'on' : 'off')}</Status>}
      >
        <Menu label={tu('actions', { name: a.name.slice(0, 100) })}>
          <button type="button" onClick={() => setDoing('try')}>
            {t('try')}
          </button>
          <Link href={`/settings/agents/${a.id}`} className="button">
            {t('edit')}
          </Link>
          <button type="button" disabled={toggle.busy} onClick={() => void toggle.run()}>
            {t(a.enabled ? 'disable' : 'enable')}
          </button>
          {(!restores || a.version > 1) && (
            <button type="button" onClick={() => setDoing('delete')}>
              {t(restores ? 'restore' : 'delete')}
            </button>
          )}
        </Menu>
      </Line>
      {toggle.problem != null && <ProblemBox thrown={toggle.problem} />}
      {doing === 'try' && <TryAgent of={a} onClose={() => setDoing(null)} />}
      {doing === 'delete' && (
        <Confirm
          title={t(restores ? 'restore.of' : 'delete.of', { name: a.name })}
          yes={t(restores ? 'restore' : 'delete')}
          danger
          onClose={() => setDoing(null)}
          act={async () => {
            await api.DELETE('/v1/agents/{agent_id}', path);
            await fresh();
          }}
        >
          <p>{t(restores ? 'restore.text' : 'delete.text')}</p>
        </Confirm>
      )}
    </li>
  );
}
