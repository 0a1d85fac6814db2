import type { Schemas } from '../../../api/client';
import { Diff } from '../../../approvals/Diff';
import type { Action } from '../../../ui/action';
import { visible } from '../../../ui/visible';
import type { Command } from '../connector';
import { Params } from './Params';
import { sidesOf } from './shape';
import { texts } from './texts';

interface Props {
  command: Command;
  patch: Action<[Schemas['ConnectorCommandPatch']]>;
}

/** A command whose description has changed on its server: before, after, and the decision. */
export function Changed({ command, patch }: Props) {
  const t = texts.use();
  const { title, description, params_schema, looked_at } = command;
  const sides = looked_at && sidesOf(looked_at, { title, description, params_schema }, t('param.required'));
  return (
    <div className="stack tight" data-changed={command.name}>
      <p className="box warn">{t('changed.text')}</p>
      {looked_at === null && (
        <>
          <p>{t('changed.unknown')}</p>
          <p className="preserve">
            <bdi>{visible(description)}</bdi>
          </p>
          <Params schema={params_schema} />
        </>
      )}
      {looked_at !== null && (sides ? <Diff {...sides} /> : <p>{t('changed.same')}</p>)}
      <p className="row">
        <button
          type="button"
          className="small primary"
          disabled={patch.busy}
          onClick={() => void patch.run({ state: 'offered' })}
        >
          {t('changed.accept')}
        </button>
        <button type="button" className="small" disabled={patch.busy} onClick={() => void patch.run({ state: 'off' })}>
          {t('changed.off')}
        </button>
      </p>
    </div>
  );
}
