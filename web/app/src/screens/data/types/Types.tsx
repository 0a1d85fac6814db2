import { useState } from 'react';
import { api, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/me';
import { asProblem } from '../../../api/problem';
import { useAction } from '../../../ui/action';
import { Dialog } from '../../../ui/Dialog';
import { Page } from '../../../ui/Page';
import { ProblemBox } from '../../../ui/Problem';
import { Read } from '../../../ui/Read';
import { columnsOf, schemaOf } from '../columns';
import { docTexts } from '../docTexts';
import { useTypes } from '../read';
import { Tabs } from '../Tabs';
import { texts } from '../texts';
import { TypeForm } from './TypeForm';
import { useNames } from '../words';

type Type = Schemas['ToolType'];

/** All tool types: the user's own and those that are built in. */
export function Types() {
  const t = texts.use();
  const dt = docTexts.use();
  const query = useTypes();
  const admin = useMay('admin');
  const [making, setMaking] = useState(false);
  const [editing, setEditing] = useState<Type | null>(null);
  const [deleting, setDeleting] = useState<Type | null>(null);
  return (
    <Page
      title={t('title')}
      name={t('nav.types')}
      actions={
        admin && (
          <button type="button" className="primary" onClick={() => setMaking(true)}>
            {dt('type.new')}
          </button>
        )
      }
    >
      <Tabs />
      <p className="muted">{dt('types.intro')}</p>
      <Read query={query}>
        {(list) => {
          const own = list.filter((type) => !type.built_in);
          return (
            <>
              <h2 id="own" tabIndex={-1}>
                {dt('type.own')}
              </h2>
              {own.length === 0 && <p className="muted">{dt('type.none')}</p>}
              <ul className="plain stack tight">
                {own.map((type) => (
                  <Card
                    key={type.id}
                    type={type}
                    onEdit={admin ? () => setEditing(type) : undefined}
                    onDelete={admin ? () => setDeleting(type) : undefined}
                  />
                ))}
              </ul>
              <h2>{dt('type.builtin')}</h2>
              <ul className="plain stack tight">
                {list
                  .filter((type) => type.built_in)
                  .map((type) => (
                    <Card key={type.id} type={type} />
                  ))}
              </ul>
            </>
          );
        }}
      </Read>
      {making && <TypeForm onClose={() => setMaking(false)} />}
      {editing && <TypeForm type={editing} onClose={() => setEditing(null)} />}
      {deleting && <DeleteType type={deleting} onClose={() => setDeleting(null)} />}
    </Page>
  );
}

function Card({ type, onEdit, onDelete }: { type: Type; onEdit?: () => void; onDelete?: () => void }) {
  const dt = docTexts.use();
  const names = useNames();
  const fields = columnsOf(schemaOf(type.entry_schema));
  return (
    <li className="card stack tight" data-type={type.id}>
      <div className="row between">
        <h3 className="grow">
          <span className="clamp">{names.type(type)}</span>
        </h3>
        <code>{type.id}</code>
      </div>
      {type.description && <p className="clamp">{names.about(type)}</p>}
      {fields.length > 0 && (
        <p className="small muted clamp">
          {dt('type.fields')}{' '}
          {fields
            .map((column) => names.field(column))
            .join(', ')
            .slice(0, 400)}
        </p>
      )}
      <details>
        <summary className="small">{dt('type.schemas')}</summary>
        <div className="stack tight">
          <p className="small">{dt('type.config')}</p>
          <pre>{JSON.stringify(type.config_schema, null, 2)}</pre>
          <p className="small">{dt('type.entry')}</p>
          <pre>{JSON.stringify(type.entry_schema, null, 2)}</pre>
        </div>
      </details>
      {onEdit && (
        <p className="row">
          <button
            type="button"
            className="small"
            aria-label={`${dt('edit')}: ${type.name.slice(0, 60)}`}
            onClick={onEdit}
          >
            {dt('edit')}
          </button>
          <button
            type="button"
            className="plain small"
            aria-label={`${dt('delete')}: ${type.name.slice(0, 60)}`}
            onClick={onDelete}
          >
            {dt('delete')}
          </button>
        </p>
      )}
    </li>
  );
}

function DeleteType({ type, onClose }: { type: Type; onClose: () => void }) {
  const dt = docTexts.use();
  const action = useAction(() =>
    api.DELETE('/v1/tool-types/{tool_type_id}', { params: { path: { tool_type_id: type.id } } }),
  );
  const inUse = action.problem != null && asProblem(action.problem).code === 'tool_type_in_use';
  const go = async () => {
    if (!(await action.run())) return;
    onClose();
    requestAnimationFrame(() => document.getElementById('own')?.focus());
  };
  return (
    <Dialog title={dt('type.delete.title')} onClose={onClose}>
      <p>{dt('type.delete.text', { name: type.name })}</p>
      {inUse && (
        <p className="box bad" role="alert" data-code="tool_type_in_use">
          {dt('type.inuse')}
        </p>
      )}
      {action.problem != null && !inUse && <ProblemBox thrown={action.problem} />}
      <div className="row">
        <button type="button" className="danger" disabled={action.busy} onClick={() => void go()}>
          {dt('delete')}
        </button>
        <button type="button" onClick={onClose}>
          {dt('cancel')}
        </button>
      </div>
    </Dialog>
  );
}
