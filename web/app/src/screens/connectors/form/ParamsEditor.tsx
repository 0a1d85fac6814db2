import { Field } from '../../../ui/Field';
import css from '../connectors.module.css';
import type { CommandDraft } from './commandDraft';
import { texts } from './texts';
import { newParam, schemaOf, types, type Param } from './written';

interface Props {
  draft: CommandDraft;
  set: (part: Partial<CommandDraft>) => void;
  wrong?: string;
}

/** The parameters of a command: a list, or JSON Schema if a list is not expressive enough. */
export function ParamsEditor({ draft, set, wrong }: Props) {
  const t = texts.use();
  const { params } = draft;
  if (!params)
    return (
      <Field label={t('param.schema')} wrong={wrong}>
        <textarea
          rows={8}
          className="mono"
          spellCheck={false}
          value={draft.schema}
          onChange={(e) => set({ schema: e.target.value })}
        />
      </Field>
    );
  const change = (next: Param) => set({ params: params.map((p) => (p.key === next.key ? next : p)) });
  return (
    <fieldset className="stack tight">
      <legend className="small">
        <strong>{t('command.params')}</strong>
      </legend>
      {params.map((p) => (
        <Row key={p.key} of={p} change={change} remove={() => set({ params: params.filter((o) => o.key !== p.key) })} />
      ))}
      {wrong && <p className="wrong">{wrong}</p>}
      <p className="row">
        <button type="button" className="small" onClick={() => set({ params: [...params, newParam()] })}>
          {t('param.add')}
        </button>
        <button
          type="button"
          className="plain small"
          onClick={() => set({ params: null, schema: JSON.stringify(schemaOf(params), null, 2) })}
        >
          {t('param.json')}
        </button>
      </p>
    </fieldset>
  );
}

function Row({ of: p, change, remove }: { of: Param; change: (next: Param) => void; remove: () => void }) {
  const t = texts.use();
  return (
    <div className={css.pair} data-param={p.name}>
      <Field label={t('param.name')}>
        <input
          value={p.name}
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          onChange={(e) => change({ ...p, name: e.target.value })}
        />
      </Field>
      <Field label={t('param.text')}>
        <input value={p.description} maxLength={1000} onChange={(e) => change({ ...p, description: e.target.value })} />
      </Field>
      <Field label={t('param.type')}>
        <select value={p.type} onChange={(e) => change({ ...p, type: e.target.value as Param['type'] })}>
          {types.map((type) => (
            <option key={type} value={type}>
              {t(`type.${type}`)}
            </option>
          ))}
        </select>
      </Field>
      <Field label={t('param.required')} check>
        <input type="checkbox" checked={p.required} onChange={(e) => change({ ...p, required: e.target.checked })} />
      </Field>
      <button type="button" className="plain small" aria-label={t('param.remove', { name: p.name })} onClick={remove}>
        ✕
      </button>
    </div>
  );
}
