import { useState } from 'react';
import { api, body, type Schemas } from '../../../api/client';
import { useAction } from '../../../ui/action';
import { Confirm } from '../../../ui/Confirm';
import { visible } from '../../../ui/visible';
import { isWritten, type Command, type Connector } from '../connector';
import css from '../connectors.module.css';
import { CommandDialog } from '../form/CommandDialog';
import { asWritten } from '../form/written';
import { useConnectorsFresh } from '../fresh';
import { Changed } from './Changed';
import { Params } from './Params';
import { Rules } from './Rules';
import { texts } from './texts';

interface Props {
  connector: Connector;
  command: Command;
}

const tone: Record<Command['state'], string> = { offered: 'ok', off: '', changed: 'warn', gone: '' };

export function useCommandPatch({ connector, command }: Props) {
  const fresh = useConnectorsFresh();
  return useAction(async (patch: Schemas['ConnectorCommandPatch']) => {
    await body(
      api.PATCH('/v1/connectors/{connector_id}/commands/{command_name}', {
        params: { path: { connector_id: connector.id, command_name: command.name } },
        body: patch,
      }),
    );
    await fresh();
  });
}

/** One command: its name and rules in one line, expandable. */
export function CommandItem({ connector, command }: Props) {
  const t = texts.use();
  const [open, setOpen] = useState(command.state === 'changed');
  return (
    <li data-command={command.name} data-state={command.state}>
      <details className={css.command} open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
        <summary>
          <code className="grow">
            {connector.prefix}.{command.name}
          </code>
          <span className="small muted">{t(`effect.short.${command.effect}`)}</span>
          {command.require_validation && <span className="small muted">{t('asks')}</span>}
          <span className={`badge ${tone[command.state]}`}>{t(`state.${command.state}`)}</span>
        </summary>
        {open && <Inside connector={connector} command={command} />}
      </details>
    </li>
  );
}

function Inside({ connector, command }: Props) {
  const t = texts.use();
  const patch = useCommandPatch({ connector, command });
  return (
    <div className={`stack ${css.inside}`}>
      {command.state === 'changed' ? (
        <Changed command={command} patch={patch} />
      ) : (
        <>
          {command.title && (
            <p>
              <strong>
                <bdi>{visible(command.title)}</bdi>
              </strong>
            </p>
          )}
          <p className="preserve">
            <bdi>{visible(command.description)}</bdi>
          </p>
          <Params schema={command.params_schema} />
        </>
      )}
      {command.request && (
        <p className="small">
          <span className="muted">{t('request')}</span>{' '}
          <code>
            {command.request.method} {command.request.path}
          </code>
        </p>
      )}
      <Rules command={command} patch={patch} />
      {isWritten(connector) && <Written connector={connector} command={command} />}
    </div>
  );
}

/** The actions for a custom command. */
function Written({ connector, command }: Props) {
  const t = texts.use();
  const fresh = useConnectorsFresh();
  const [doing, setDoing] = useState<'edit' | 'remove' | null>(null);
  const remove = async () => {
    const left = connector.commands.filter((other) => other.name !== command.name).map(asWritten);
    await body(
      api.PATCH('/v1/connectors/{connector_id}', {
        params: { path: { connector_id: connector.id }, header: { 'If-Match': `"${connector.version}"` } },
        body: { commands: left },
      }),
    );
    await fresh();
  };
  return (
    <p className="row">
      <button type="button" className="small" onClick={() => setDoing('edit')}>
        {t('edit')}
      </button>
      <button type="button" className="small danger" onClick={() => setDoing('remove')}>
        {t('remove')}
      </button>
      {doing === 'edit' && <CommandDialog connector={connector} command={command} onClose={() => setDoing(null)} />}
      {doing === 'remove' && (
        <Confirm
          title={t('remove.of', { name: command.name })}
          yes={t('remove')}
          danger
          act={remove}
          onClose={() => setDoing(null)}
        >
          <p>{t('remove.text')}</p>
        </Confirm>
      )}
    </p>
  );
}
