import { useState } from 'react';
import { api, body, type Schemas } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { Dialog } from '../../../ui/Dialog';
import { Field } from '../../../ui/Field';
import { Read } from '../../../ui/Read';
import { checkSchema, SchemaForm } from '../../../ui/SchemaForm';
import { schemaOf, startOf, type Data } from '../columns';
import { useTypes, useZones } from '../read';
import { SaveProblem } from '../edit/SaveProblem';
import { texts } from '../texts';
import { toolTexts } from '../toolTexts';
import { changesOf, useEdit } from '../edit/useEdit';
import { useNames } from '../words';

type Tool = Schemas['Tool'];
interface Props {
  tool?: Tool;
  zone: string;
  types: Schemas['ToolType'][];
  onClose: () => void;
  onSaved: (tool: Tool) => void;
}

/** A dialog for a new tool in a zone. */
export function NewTool({
  zone,
  onClose,
  onSaved,
}: {
  zone: string;
  onClose: () => void;
  onSaved: (tool: Tool) => void;
}) {
  const t = texts.use();
  const types = useTypes();
  return (
    <Dialog title={t('tool.new.title')} onClose={onClose}>
      <Read query={types}>{(list) => <ToolForm zone={zone} types={list} onClose={onClose} onSaved={onSaved} />}</Read>
    </Dialog>
  );
}

/** A dialog for the settings of a tool. */
export function EditTool({
  tool,
  onClose,
  onSaved,
}: {
  tool: Tool;
  onClose: () => void;
  onSaved: (tool: Tool) => void;
}) {
  const t = toolTexts.use();
  const types = useTypes();
  return (
    <Dialog title={t('edit.title')} onClose={onClose}>
      <Read query={types}>
        {(list) => <ToolForm tool={tool} zone={tool.zone_id} types={list} onClose={onClose} onSaved={onSaved} />}
      </Read>
    </Dialog>
  );
}

function ToolForm({ tool, zone, types, onClose, onSaved }: Props) {
  const t = texts.use();
  const names = useNames();
  const path = { tool_id: tool?.id ?? '' };
  const edit = useEdit({
    of: tool,
    draftOf: (now?: Tool) => ({
      zone_id: now?.zone_id ?? zone,
      tool_type: now?.tool_type ?? types[0]?.id ?? '',
      name: now?.name ?? '',
      description: now?.description ?? '',
      config: (now?.config ?? {}) as Data,
      always_send: now?.always_send ?? false,
      require_validation: now?.require_validation ?? false,
    }),
    load: () => body(api.GET('/v1/tools/{tool_id}', { params: { path } })),
    save: async (draft, etag, base) => {
      const { tool_type: _, ...changes } = changesOf(base, draft);
      onSaved(
        tool
          ? await body(
              api.PATCH('/v1/tools/{tool_id}', { params: { path, header: { 'If-Match': etag } }, body: changes }),
            )
          : await body(api.POST('/v1/tools', { body: draft })),
      );
    },
  });
  const { draft, set, action } = edit;
  const [tries, setTries] = useState(0);
  const errors = action.problem == null ? [] : asProblem(action.problem).errors;
  const wrong = (pointer: string) => errors.find((e) => e.pointer === pointer)?.message;
  const type = types.find(({ id }) => id === draft.tool_type);
  const config = schemaOf(type?.config_schema);
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(e) => {
        e.preventDefault();
        if (type && checkSchema(config, draft.config).length) setTries(tries + 1);
        else void action.run();
      }}
    >
      {!tool && (
        <Field label={t('type')} hint={type && names.about(type)} wrong={wrong('/tool_type')}>
          <select
            value={draft.tool_type}
            onChange={(e) => {
              const next = types.find(({ id }) => id === e.target.value);
              set({ tool_type: e.target.value, config: next ? startOf(schemaOf(next.config_schema)) : {} });
            }}
          >
            {types.map((one) => (
              <option key={one.id} value={one.id}>
                {names.type(one).slice(0, 80)}
              </option>
            ))}
          </select>
        </Field>
      )}
      <Field label={t('name')} required wrong={wrong('/name')}>
        <input type="text" maxLength={200} value={draft.name} onChange={(e) => set({ name: e.target.value })} />
      </Field>
      <Field label={t('description')} wrong={wrong('/description')}>
        <textarea
          rows={2}
          maxLength={10_000}
          value={draft.description}
          onChange={(e) => set({ description: e.target.value })}
        />
      </Field>
      {tool && <MoveTo zone={draft.zone_id} onChange={(zone_id) => set({ zone_id })} />}
      {Object.keys(config.properties ?? {}).length > 0 && (
        <SchemaForm
          schema={config}
          value={draft.config}
          onChange={(config) => set({ config: config as Data })}
          errors={errors}
          at="/config"
          tries={tries}
          label={(name) => names.field({ name })}
        />
      )}
      <Field check label={t('send')} hint={t('send.hint')}>
        <input type="checkbox" checked={draft.always_send} onChange={(e) => set({ always_send: e.target.checked })} />
      </Field>
      <Field check label={t('validation')} hint={t('validation.hint')}>
        <input
          type="checkbox"
          checked={draft.require_validation}
          onChange={(e) => set({ require_validation: e.target.checked })}
        />
      </Field>
      {edit.loaded && <p className="box ok">{t('stale.loaded')}</p>}
      <SaveProblem thrown={action.problem} load={edit.reload} />
      <div className="row">
        <button type="submit" className="primary" disabled={action.busy || !draft.name.trim()}>
          {t(tool ? 'save' : 'tool.make')}
        </button>
        <button type="button" onClick={onClose}>
          {t('cancel')}
        </button>
      </div>
    </form>
  );
}

function MoveTo({ zone, onChange }: { zone: string; onChange: (zone: string) => void }) {
  const t = texts.use();
  const zones = useZones();
  return (
    <Field label={t('zone')}>
      <select value={zone} onChange={(e) => onChange(e.target.value)}>
        {!zones.data?.some(({ id }) => id === zone) && <option value={zone}>…</option>}
        {zones.data?.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name.slice(0, 80)}
          </option>
        ))}
      </select>
    </Field>
  );
}
