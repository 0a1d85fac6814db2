import { useState } from 'react';
import { api, body } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { useAction } from '../../../ui/action';
import { Dialog } from '../../../ui/Dialog';
import { Field } from '../../../ui/Field';
import { ProblemBox } from '../../../ui/Problem';
import { texts as uiTexts } from '../../../ui/texts';
import { effects } from '../commands/Rules';
import { texts as commandTexts } from '../commands/texts';
import type { Command, Connector } from '../connector';
import { useConnectorsFresh } from '../fresh';
import { commandDraftOf, unreadable, writtenOf, type CommandDraft, type CommandFieldsProps } from './commandDraft';
import { ParamsEditor } from './ParamsEditor';
import { RequestFields, RequestMore } from './RequestFields';
import { texts } from './texts';
import { asWritten } from './written';

interface Props {
  connector: Connector;
  /** Null: a new one. */
  command: Command | null;
  onClose: () => void;
}

/** Adds or edits a command. The list of commands is saved as a whole. */
export function CommandDialog({ connector: c, command, onClose }: Props) {
  const t = texts.use();
  const tu = uiTexts.use();
  const fresh = useConnectorsFresh();
  const [draft, setDraft] = useState(() => commandDraftOf(command));
  const [tried, setTried] = useState(false);
  const set = (part: Partial<CommandDraft>) => setDraft((now) => ({ ...now, ...part }));
  const at = command ? c.commands.findIndex((other) => other.name === command.name) : c.commands.length;
  const bad = unreadable(draft);
  const save = useAction(async () => {
    const commands = c.commands.map(asWritten);
    commands[at] = writtenOf(draft, c.kind, command);
    await body(
      api.PATCH('/v1/connectors/{connector_id}', {
        params: { path: { connector_id: c.id }, header: { 'If-Match': `"${c.version}"` } },
        body: { commands },
      }),
    );
    await fresh();
    onClose();
  });
  const problem = save.problem == null ? null : asProblem(save.problem);
  const below = `/commands/${at}`;
  const wrong = (field: string) =>
    problem?.errors.find((e) => e.pointer === below + field || e.pointer.startsWith(`${below}${field}/`))?.message;
  const said = (name: 'parts' | 'schema' | 'expect') =>
    tried && bad[name] ? t('json.wrong', { why: bad[name] }) : undefined;
  const fields = { kind: c.kind, draft, set, wrong, said };
  return (
    <Dialog title={command ? t('command.edit', { name: command.name }) : t('command.new')} onClose={onClose}>
      <form
        className="stack"
        noValidate
        onSubmit={(e) => {
          e.preventDefault();
          setTried(true);
          if (!Object.keys(bad).length) void save.run();
        }}
      >
        <Words {...fields} />
        <RequestFields {...fields} />
        <ParamsEditor draft={draft} set={set} wrong={said('schema') ?? wrong('/params_schema')} />
        <RequestMore {...fields} />
        {problem && <ProblemBox thrown={problem} />}
        <p className="row">
          <button type="submit" className="primary" disabled={save.busy || !draft.name || !draft.description.trim()}>
            {t(save.busy ? 'save.runs' : 'save')}
          </button>
          <button type="button" onClick={onClose}>
            {tu('cancel')}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

/** Its name, description and effect. */
function Words({ kind, draft, set, wrong }: CommandFieldsProps) {
  const t = texts.use();
  const tc = commandTexts.use();
  const offered = effects.filter((effect) => kind !== 'long_running' || effect !== 'read_only');
  return (
    <>
      <Field label={t('command.name')} hint={t('command.name.hint')} wrong={wrong('/name')} required>
        <input
          value={draft.name}
          maxLength={43}
          autoComplete="off"
          spellCheck={false}
          onChange={(e) => set({ name: e.target.value.toUpperCase().replace(/[^A-Z0-9_]/g, '_') })}
        />
      </Field>
      <Field
        label={t('command.description')}
        hint={t('command.description.hint')}
        wrong={wrong('/description')}
        required
      >
        <textarea
          rows={2}
          maxLength={4000}
          value={draft.description}
          onChange={(e) => set({ description: e.target.value })}
        />
      </Field>
      <Field label={tc('effect')} wrong={wrong('/effect')}>
        <select value={draft.effect} onChange={(e) => set({ effect: e.target.value as CommandDraft['effect'] })}>
          {offered.map((effect) => (
            <option key={effect} value={effect}>
              {tc(`effect.${effect}`)}
            </option>
          ))}
        </select>
      </Field>
    </>
  );
}
