import { useState } from 'react';
import { $api, api, body, type Schemas } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { announce } from '../../../shell/announce';
import { Dialog } from '../../../ui/Dialog';
import { Field } from '../../../ui/Field';
import { Read } from '../../../ui/Read';
import { checkSchema, SchemaForm, type Schema } from '../../../ui/SchemaForm';
import { fromInput, startOf, toInput, type Data } from '../columns';
import { SaveProblem } from '../edit/SaveProblem';
import { texts } from '../texts';
import { toolTexts } from '../toolTexts';
import { changesOf, useEdit } from '../edit/useEdit';
import { useNames } from '../words';

type Entry = Schemas['Entry'];
interface Props {
  tool: Schemas['Tool'];
  schema: Schema;
  entry?: Entry;
  onClose: () => void;
}

/** The form of a new or edited entry, generated from the tool type's schema. */
export function EntryForm({ tool, schema, entry, onClose }: Props) {
  const t = texts.use();
  const tt = toolTexts.use();
  const names = useNames();
  const path = { entry_id: entry?.id ?? '' };
  const edit = useEdit({
    of: entry,
    draftOf: (now?: Entry) => ({ timestamp: now?.timestamp ?? '', data: (now?.data ?? startOf(schema)) as Data }),
    load: () => body(api.GET('/v1/entries/{entry_id}', { params: { path } })),
    save: async (draft, etag, base) => {
      if (entry)
        await api.PATCH('/v1/entries/{entry_id}', {
          params: { path, header: { 'If-Match': etag } },
          body: changesOf(base, draft),
        });
      else
        await api.POST('/v1/tools/{tool_id}/entries', {
          params: { path: { tool_id: tool.id } },
          body: { data: draft.data, ...(draft.timestamp && { timestamp: draft.timestamp }) },
        });
      announce(tt(entry ? 'saved' : 'added'));
      onClose();
    },
  });
  const { draft, set, action } = edit;
  const [tries, setTries] = useState(0);
  const errors = action.problem == null ? [] : asProblem(action.problem).errors;
  return (
    <Dialog title={tt(entry ? 'entry.edit' : 'add.title')} onClose={onClose}>
      <form
        className="stack"
        noValidate
        onSubmit={(e) => {
          e.preventDefault();
          if (checkSchema(schema, draft.data).length) setTries(tries + 1);
          else void action.run();
        }}
      >
        <SchemaForm
          schema={schema}
          value={draft.data}
          onChange={(data) => set({ data: data as Data })}
          errors={errors}
          at="/data"
          tries={tries}
          label={(name) => names.field({ name })}
        />
        <Field
          label={tt('when')}
          hint={entry ? undefined : tt('when.hint')}
          wrong={errors.find((e) => e.pointer === '/timestamp')?.message}
        >
          <input
            type="datetime-local"
            value={toInput(draft.timestamp)}
            onChange={(e) =>
              set({ timestamp: fromInput(e.target.value, edit.base.timestamp) ?? (entry ? edit.base.timestamp : '') })
            }
          />
        </Field>
        {edit.loaded && <p className="box ok">{t('stale.loaded')}</p>}
        <SaveProblem thrown={action.problem} load={edit.reload} />
        <div className="row">
          <button type="submit" className="primary" disabled={action.busy}>
            {entry ? t('save') : tt('add')}
          </button>
          <button type="button" onClick={onClose}>
            {t('cancel')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface OpenProps {
  id: string;
  tool: Schemas['Tool'];
  schema: Schema;
  onClose: () => void;
}

/** The entry in the address, linked from the search or a chat. */
export function OpenEntry({ id, tool, schema, onClose }: OpenProps) {
  const tt = toolTexts.use();
  const query = $api.useQuery('get', '/v1/entries/{entry_id}', { params: { path: { entry_id: id } } });
  if (query.data) return <EntryForm tool={tool} schema={schema} entry={query.data} onClose={onClose} />;
  return (
    <Dialog title={tt('entry.edit')} onClose={onClose}>
      <Read query={query}>{() => null}</Read>
    </Dialog>
  );
}
