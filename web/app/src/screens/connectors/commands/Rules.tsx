import { useState } from 'react';
import type { Schemas } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import type { Action } from '../../../ui/action';
import { Field } from '../../../ui/Field';
import { ProblemBox } from '../../../ui/Problem';
import type { Command } from '../connector';
import css from '../connectors.module.css';
import { texts } from './texts';

export const effects = ['read_only', 'idempotent', 'non_idempotent'] as const;

interface Props {
  command: Command;
  patch: Action<[Schemas['ConnectorCommandPatch']]>;
}

/** The rules that a person sets for a command; each choice is saved at once. */
export function Rules({ command, patch }: Props) {
  const t = texts.use();
  const problem = patch.problem == null ? null : asProblem(patch.problem);
  const wrong = problem?.errors.find((e) => e.pointer === '/timeout')?.message;
  // A control changes before the server has responded, and reverts if the change is rejected.
  const [said, say] = useState<Schemas['ConnectorCommandPatch']>({});
  const now = { ...command, ...said };
  const send = async (what: Schemas['ConnectorCommandPatch']) => {
    say(what);
    await patch.run(what);
    say({});
  };
  return (
    <div className="stack" data-rules>
      <Field label={t('effect')} hint={t('effect.hint')}>
        <select value={now.effect} onChange={(e) => void send({ effect: e.target.value as Command['effect'] })}>
          {effects.map((effect) => (
            <option key={effect} value={effect}>
              {t(`effect.${effect}`)}
            </option>
          ))}
        </select>
      </Field>
      <Field label={t('asks.rule')} check>
        <input
          type="checkbox"
          checked={now.require_validation}
          onChange={(e) => void send({ require_validation: e.target.checked })}
        />
      </Field>
      <Field label={t('sensitive')} hint={t('sensitive.hint')} check>
        <input type="checkbox" checked={now.sensitive} onChange={(e) => void send({ sensitive: e.target.checked })} />
      </Field>
      <Field label={t('trusted')} hint={t('trusted.hint')} check>
        <input type="checkbox" checked={now.trusted} onChange={(e) => void send({ trusted: e.target.checked })} />
      </Field>
      <div className={css.rules}>
        <Timeout key={command.timeout} of={command} wrong={wrong} save={(timeout) => void patch.run({ timeout })} />
        {command.state !== 'changed' && command.state !== 'gone' && (
          <button
            type="button"
            className={command.state === 'off' ? 'small primary' : 'small'}
            disabled={patch.busy}
            onClick={() => void patch.run({ state: command.state === 'off' ? 'offered' : 'off' })}
          >
            {t(command.state === 'off' ? 'offer' : 'off')}
          </button>
        )}
      </div>
      {problem && !wrong && <ProblemBox thrown={problem} />}
    </div>
  );
}

interface TimeoutProps {
  of: Command;
  wrong?: string;
  save: (timeout: string | null) => void;
}

/** Saved on blur; empty restores the default. */
function Timeout({ of: command, wrong, save }: TimeoutProps) {
  const t = texts.use();
  const [text, setText] = useState(command.timeout);
  const done = () => {
    if (text.trim() !== command.timeout) save(text.trim() || null);
  };
  return (
    <Field label={t('timeout')} hint={t('timeout.hint')} wrong={wrong}>
      <input
        className={css.short}
        value={text}
        autoComplete="off"
        onChange={(e) => setText(e.target.value)}
        onBlur={done}
        onKeyDown={(e) => e.key === 'Enter' && done()}
      />
    </Field>
  );
}
