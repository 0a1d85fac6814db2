import { $api, api } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { Confirm } from '../../ui/Confirm';
import { Read } from '../../ui/Read';
import { namesPrefix, type Connector } from './connector';
import { useConnectorsFresh } from './fresh';
import { texts } from './texts';

interface Props {
  of: Connector;
  onClose: () => void;
  onDeleted: () => void;
}

/** Confirms the deletion of a connector, and lists what depends on it. */
export function DeleteConnector({ of: c, onClose, onDeleted }: Props) {
  const t = texts.use();
  const fresh = useConnectorsFresh();
  const remove = async () => {
    await api.DELETE('/v1/connectors/{connector_id}', {
      params: { path: { connector_id: c.id }, header: { 'If-Match': `"${c.version}"` } },
    });
    onDeleted();
    await fresh();
  };
  return (
    <Confirm
      title={t('delete.of', { name: c.name.slice(0, 80) })}
      yes={t('delete')}
      danger
      onClose={onClose}
      act={remove}
    >
      <p>{t('delete.text')}</p>
      <Missed of={c} />
    </Confirm>
  );
}

const going = ['pending', 'running'] as const;

/** What refers to its commands, and which executions are running. */
function Missed({ of: c }: { of: Connector }) {
  const t = texts.use();
  const f = useFormat();
  const agents = $api.useQuery('get', '/v1/agents', { params: { query: { limit: 200 } } });
  const settings = $api.useQuery('get', '/v1/settings');
  const pending = $api.useQuery('get', '/v1/tasks', { params: { query: { status: going[0], limit: 200 } } });
  const running = $api.useQuery('get', '/v1/tasks', { params: { query: { status: going[1], limit: 200 } } });
  return (
    <Read query={agents}>
      {({ data }) => {
        const callers = data.filter((a) => namesPrefix(a.commands, c.prefix)).map((a) => a.name);
        const listed = namesPrefix(settings.data?.commands, c.prefix);
        const tasks = [...(pending.data?.data ?? []), ...(running.data?.data ?? [])];
        const open = tasks.filter((task) => task.connector_id === c.id).length;
        if (!callers.length && !listed && !open) return <p className="muted">{t('delete.nothing')}</p>;
        return (
          <ul data-missed>
            {callers.length > 0 && (
              <li>
                {t('delete.agents')} {f.list(callers)}
              </li>
            )}
            {listed && <li>{t('delete.settings')}</li>}
            {open > 0 && <li>{t('delete.tasks', { n: open })}</li>}
          </ul>
        );
      }}
    </Read>
  );
}
