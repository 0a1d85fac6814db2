import { api, body, type Schemas } from '../../../api/client';
import { asProblem, type FieldError } from '../../../api/problem';
import { announce } from '../../../shell/announce';
import { Dialog } from '../../../ui/Dialog';
import { Field } from '../../../ui/Field';
import { keyOf } from '../documents/docs';
import css from '../data.module.css';
import { docTexts } from '../docTexts';
import { parseJson } from './json';
import { SaveProblem } from '../edit/SaveProblem';
import { texts } from '../texts';
import { toolTexts } from '../toolTexts';
import { changesOf, useEdit } from '../edit/useEdit';

type Type = Schemas['ToolType'];
const write = (value: unknown) => JSON.stringify(value, null, 2);
const start = {
  type: 'object',
  properties: { value: { type: 'number', title: 'Value' } },
  required: ['value'],
  additionalProperties: false,
};
const draftOf = (now?: Type) => ({
  id: now?.id ?? (null as string | null),
  name: now?.name ?? '',
  description: now?.description ?? '',
  config_schema: write(now?.config_schema ?? { type: 'object', properties: {}, additionalProperties: false }),
  entry_schema: write(now?.entry_schema ?? start),
});

/** A user-defined tool type: its two schemas are edited as JSON. */
export function TypeForm({ type, onClose }: { type?: Type; onClose: () => void }) {
  const t = texts.use();
  const dt = docTexts.use();
  const path = { tool_type_id: type?.id ?? '' };
  const edit = useEdit({
    of: type,
    draftOf,
    load: () => body(api.GET('/v1/tool-types/{tool_type_id}', { params: { path } })),
    save: async (draft, etag, base) => {
      const { id: _, config_schema, entry_schema, ...plain } = changesOf(base, draft);
      const schemas = {
        ...(config_schema !== undefined && { config_schema: JSON.parse(config_schema) }),
        ...(entry_schema !== undefined && { entry_schema: JSON.parse(entry_schema) }),
      };
      if (type)
        await api.PATCH('/v1/tool-types/{tool_type_id}', {
          params: { path, header: { 'If-Match': etag } },
          body: { ...plain, ...schemas },
        });
      else
        await api.POST('/v1/tool-types', {
          body: {
            id: draft.id ?? keyOf(draft.name),
            name: draft.name,
            description: draft.description,
            config_schema: JSON.parse(draft.config_schema),
            entry_schema: JSON.parse(draft.entry_schema),
          },
        });
      announce(toolTexts.t('saved'));
      onClose();
    },
  });
  const { draft, set, action } = edit;
  const problem = action.problem == null ? null : asProblem(action.problem);
  const wrong = (pointer: string) => problem?.errors.find((e) => e.pointer === pointer)?.message;
  // Incompatible data has a box of its own.
  const errors = problem === null || problem.code === 'tool_type_misfit' ? [] : problem.errors;
  const id = draft.id ?? keyOf(draft.name);
  const valid = [draft.config_schema, draft.entry_schema].every((text) => parseJson(text).ok);
  return (
    <Dialog title={dt(type ? 'type.edit' : 'type.new.title')} onClose={onClose}>
      <form
        className="stack"
        noValidate
        onSubmit={(e) => {
          e.preventDefault();
          void action.run();
        }}
      >
        <Field label={dt('type.name')} required wrong={wrong('/name')}>
          <input type="text" maxLength={200} value={draft.name} onChange={(e) => set({ name: e.target.value })} />
        </Field>
        {!type && (
          <Field label={dt('type.id')} hint={dt('type.id.hint')} required wrong={wrong('/id')}>
            <input
              type="text"
              maxLength={63}
              spellCheck={false}
              autoCapitalize="off"
              value={id}
              onChange={(e) => set({ id: e.target.value })}
            />
          </Field>
        )}
        <Field label={dt('type.description')} wrong={wrong('/description')}>
          <textarea
            rows={2}
            maxLength={10_000}
            value={draft.description}
            onChange={(e) => set({ description: e.target.value })}
          />
        </Field>
        <SchemaText
          name="entry_schema"
          label={dt('type.entry')}
          value={draft.entry_schema}
          errors={errors}
          onChange={(entry_schema) => set({ entry_schema })}
        />
        <SchemaText
          name="config_schema"
          label={dt('type.config')}
          value={draft.config_schema}
          errors={errors}
          onChange={(config_schema) => set({ config_schema })}
        />
        {edit.loaded && <p className="box ok">{t('stale.loaded')}</p>}
        {problem?.code === 'tool_type_misfit' ? (
          <Misfit detail={problem.detail} errors={problem.errors} />
        ) : (
          <SaveProblem thrown={action.problem} load={edit.reload} />
        )}
        <div className="row">
          <button type="submit" className="primary" disabled={action.busy || !draft.name.trim() || !id || !valid}>
            {dt(type ? 'type.save' : 'type.make')}
          </button>
          <button type="button" onClick={onClose}>
            {dt('cancel')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface TextProps {
  name: string;
  label: string;
  value: string;
  errors: FieldError[];
  onChange: (text: string) => void;
}

function SchemaText({ name, label, value, errors, onChange }: TextProps) {
  const dt = docTexts.use();
  const parsed = parseJson(value);
  const message = errors
    .filter((e) => e.pointer === `/${name}` || e.pointer.startsWith(`/${name}/`))
    .map((e) => `${e.pointer.slice(name.length + 1)} ${e.message}`.trim())
    .join(' ');
  return (
    <Field
      label={label}
      hint={dt('type.schema.hint')}
      wrong={parsed.ok ? message || undefined : dt('json.wrong', { why: parsed.why })}
    >
      <textarea className={css.json} spellCheck={false} value={value} onChange={(e) => onChange(e.target.value)} />
    </Field>
  );
}

/** The objects that would become invalid: their number, and the first of them. */
function Misfit({ detail, errors }: { detail: string; errors: FieldError[] }) {
  const dt = docTexts.use();
  return (
    <div className="box bad stack tight" role="alert" data-code="tool_type_misfit">
      <p>
        <strong>{dt('type.misfit')}</strong>
      </p>
      <p>{detail}</p>
      {errors.length > 0 && (
        <ul>
          {errors.map((e, i) => (
            <li key={i}>
              <code>{e.pointer}</code> {e.message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
