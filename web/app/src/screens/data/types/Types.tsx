import { FileBraces } from 'lucide-react';
import { useState } from 'react';
import { api, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/me';
import { asProblem } from '../../../api/problem';
import { useAction } from '../../../ui/action';
import { Dialog } from '../../../ui/Dialog';
import { focusAfter } from '../../../ui/focus';
import { Page } from '../../../ui/Page';
import { ProblemBox } from '../../../ui/Problem';
import { Read } from '../../../ui/Read';
import { texts as uiTexts } from '../../../ui/texts';
import { visible } from '../../../ui/visible';
import { Line, Lines } from '../../rows/Line';
import { Menu } from '../../rows/Menu';
import { columnsOf, schemaOf } from '../columns';
import { docTexts } from '../docTexts';
import { useTypes } from '../read';
import { Tabs } from '../Tabs';
import { texts } from '../texts';
import { TypeForm } from './TypeForm';
import { useNames } from '../words';

type Type = Schemas['ToolType'];

/** All tool types, user-defined and built in. */
export function Types() {
  const t = texts.use();
  const dt = docTexts.use();
  const query = useTypes();
  const admin = useMay('admin');
  const [making, setMaking] = useState(false);
  const [looking, setLooking] = useState<Type | null>(null);
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
              {own.length === 0 ? (
                <p className="muted">{dt('type.none')}</p>
              ) : (
                <Lines columns={[dt('type.fields')]}>
                  {own.map((type) => (
                    <Row
                      key={type.id}
                      of={type}
                      onLook={() => setLooking(type)}
                      onEdit={admin ? () => setEditing(type) : undefined}
                      onDelete={admin ? () => setDeleting(type) : undefined}
                    />
                  ))}
                </Lines>
              )}
              <h2>{dt('type.builtin')}</h2>
              <Lines columns={[dt('type.fields')]}>
                {list
                  .filter((type) => type.built_in)
                  .map((type) => (
                    <Row key={type.id} of={type} onLook={() => setLooking(type)} />
                  ))}
              </Lines>
            </>
          );
        }}
      </Read>
      {looking && <BothSchemas of={looking} onClose={() => setLooking(null)} />}
      {making && <TypeForm onClose={() => setMaking(false)} />}
      {editing && <TypeForm type={editing} onClose={() => setEditing(null)} />}
      {deleting && <DeleteType type={deleting} onClose={() => setDeleting(null)} />}
    </Page>
  );
}

interface RowProps {
  of: Type;
  onLook: () => void;
  onEdit?: () => void;
  onDelete?: () => void;
}

function Row({ of: type, onLook, onEdit, onDelete }: RowProps) {
  const dt = docTexts.use();
  const tu = uiTexts.use();
  const names = useNames();
  const fields = columnsOf(schemaOf(type.entry_schema));
  const name = names.type(type);
  return (
    <li data-type={type.id}>
      <Line
        icon={FileBraces}
        name={<bdi>{visible(name)}</bdi>}
        meta={
          <>
            <code>{type.id}</code>
            <bdi>{visible(names.about(type))}</bdi>
          </>
        }
        facts={[fields.length > 0 && fields.map((column) => names.field(column)).join(', ')]}
      >
        <Menu label={tu('actions', { name: name.slice(0, 60) })}>
          <button type="button" onClick={onLook}>
            {dt('type.schemas')}
          </button>
          {onEdit && (
            <button type="button" onClick={onEdit}>
              {dt('edit')}
            </button>
          )}
          {onDelete && (
            <button type="button" onClick={onDelete}>
              {dt('delete')}
            </button>
          )}
        </Menu>
      </Line>
    </li>
  );
}

/** The two schemas of a type, read-only. */
function BothSchemas({ of: type, onClose }: { of: Type; onClose: () => void }) {
  const dt = docTexts.use();
  return (
    <Dialog title={useNames().type(type)} onClose={onClose}>
      <p className="small">{dt('type.config')}</p>
      <pre>{JSON.stringify(type.config_schema, null, 2)}</pre>
      <p className="small">{dt('type.entry')}</p>
      <pre>{JSON.stringify(type.entry_schema, null, 2)}</pre>
    </Dialog>
  );
}

function DeleteType({ type, onClose }: { type: Type; onClose: () => void }) {
  const dt = docTexts.use();
  const action = useAction(() =>
    api.DELETE('/v1/tool-types/{tool_type_id}', { params: { path: { tool_type_id: type.id } } }),
  );
  const inUse = action.problem != null && asProblem(action.problem).code === 'tool_type_in_use';
  const go = async () => {
    if (await action.run()) focusAfter(onClose, () => document.getElementById('own'));
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
