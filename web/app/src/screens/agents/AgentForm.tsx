import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { $api, api, body, type Schemas } from '../../api/client';
import { asProblem } from '../../api/problem';
import { useAction } from '../../ui/action';
import { Field } from '../../ui/Field';
import { ProblemBox } from '../../ui/Problem';
import { texts as uiTexts } from '../../ui/texts';
import css from './agents.module.css';
import { Allowed } from './Commands';
import { agentOf, draftOf, patchOf, type Draft } from './draft';
import { texts } from './texts';

type Agent = Schemas['Agent'];

interface FieldsProps {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
  wrong: (pointer: string) => string | undefined;
}

/** The form of a new or edited agent. */
export function AgentForm({ agent }: { agent: Agent | null }) {
  const t = texts.use();
  const tu = uiTexts.use();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [first] = useState(() => draftOf(agent));
  const [draft, setDraft] = useState(first);
  const [version, setVersion] = useState(agent?.version);
  const set = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }));
  const path = { agent_id: agent?.id ?? '' };
  const save = useAction(async () => {
    if (agent) {
      const header = { 'If-Match': `"${version}"` };
      await body(api.PATCH('/v1/agents/{agent_id}', { params: { path, header }, body: patchOf(first, draft) }));
    } else await body(api.POST('/v1/agents', { body: agentOf(draft) }));
    await queries.invalidateQueries({
      predicate: ({ queryKey }) => String(queryKey[1]).startsWith('/v1/agents') || queryKey[1] === '/v1/commands',
    });
    go('/settings/agents');
  });
  const again = async () => {
    setVersion((await body(api.GET('/v1/agents/{agent_id}', { params: { path } }))).version);
    save.clear();
  };
  const problem = save.problem == null ? null : asProblem(save.problem);
  const wrong = (pointer: string) =>
    problem?.errors.find((e) => e.pointer === pointer || e.pointer.startsWith(`${pointer}/`))?.message;
  const fields = { draft, set, wrong };
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(e) => {
        e.preventDefault();
        void save.run();
      }}
    >
      <p>
        <Link href="/settings/agents">← {t('back')}</Link>
      </p>
      <h3>{agent ? t('edit.title', { name: agent.name }) : t('new.title')}</h3>
      {agent && (
        <p className="small muted">
          {t('version', { n: agent.version })} · {t('edit.version')}
        </p>
      )}
      <Words {...fields} />
      <Allowed
        chosen={draft.commands}
        onChange={(commands) => set({ commands })}
        own={agent?.command}
        wrong={wrong('/commands')}
      />
      <details>
        <summary>{t('more')}</summary>
        <div className="stack">
          <More {...fields} />
        </div>
      </details>
      <Field label={t('enabled')} check>
        <input type="checkbox" checked={draft.enabled} onChange={(e) => set({ enabled: e.target.checked })} />
      </Field>
      {problem && <ProblemBox thrown={problem} />}
      {problem?.status === 412 && (
        <p className="row">
          <button type="button" onClick={() => void again()}>
            {t('again')}
          </button>
          <span className="muted small">{t('again.text')}</span>
        </p>
      )}
      <p className="row">
        <button type="submit" className="primary" disabled={save.busy}>
          {t(save.busy ? 'save.runs' : 'save')}
        </button>
        <Link href="/settings/agents" className="button">
          {tu('cancel')}
        </Link>
      </p>
    </form>
  );
}

/** The agent's name for the AI, and its instructions: its command's name, split into words. */
function Words({ draft, set, wrong }: FieldsProps) {
  const t = texts.use();
  const command = `AGENT.${draft.name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase() || 'LIBRARIAN'}`;
  return (
    <>
      <Field label={t('name')} hint={t('name.hint', { command })} wrong={wrong('/name')} required>
        <input
          value={draft.name}
          maxLength={40}
          autoComplete="off"
          spellCheck={false}
          onChange={(e) => set({ name: e.target.value })}
        />
      </Field>
      <Field label={t('description')} hint={t('description.hint')} wrong={wrong('/description')} required>
        <textarea
          rows={2}
          maxLength={1000}
          value={draft.description}
          onChange={(e) => set({ description: e.target.value })}
        />
      </Field>
      <Field label={t('prompt')} hint={t('prompt.hint')} wrong={wrong('/system_prompt')} required>
        <textarea
          rows={6}
          maxLength={16_000}
          value={draft.system_prompt}
          onChange={(e) => set({ system_prompt: e.target.value })}
        />
      </Field>
    </>
  );
}

const longs = [
  ['strategy', 'strategy'],
  ['success_criteria', 'success'],
  ['exit_report', 'report'],
] as const;

function More({ draft, set, wrong }: FieldsProps) {
  const t = texts.use();
  const providers = $api.useQuery('get', '/v1/providers', { params: { query: { limit: 200 } } });
  return (
    <>
      {longs.map(([field, label]) => (
        <Field key={field} label={t(label)} wrong={wrong(`/${field}`)}>
          <textarea rows={3} maxLength={8000} value={draft[field]} onChange={(e) => set({ [field]: e.target.value })} />
        </Field>
      ))}
      <Field label={t('provider')} wrong={wrong('/provider_id')}>
        <select value={draft.provider_id} onChange={(e) => set({ provider_id: e.target.value })}>
          <option value="">{t('provider.same')}</option>
          {providers.data?.data.map((p) => (
            <option key={p.id} value={p.id}>
              {p.name.slice(0, 80)}
            </option>
          ))}
        </select>
      </Field>
      <Field label={t('model')} hint={t('model.hint')} wrong={wrong('/model')}>
        <input
          value={draft.model}
          maxLength={200}
          autoComplete="off"
          onChange={(e) => set({ model: e.target.value })}
        />
      </Field>
      <Field label={t('turns')} wrong={wrong('/max_turns')}>
        <input
          type="number"
          className={css.short}
          min={1}
          max={50}
          value={draft.max_turns}
          onChange={(e) => set({ max_turns: e.target.value })}
        />
      </Field>
      <Field label={t('budget')} hint={t('budget.hint')} wrong={wrong('/token_budget')}>
        <input
          type="number"
          className={css.short}
          min={1000}
          max={200_000}
          value={draft.token_budget}
          onChange={(e) => set({ token_budget: e.target.value })}
        />
      </Field>
    </>
  );
}
