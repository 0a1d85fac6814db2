import { useState } from 'react';
import { useLocation } from 'wouter';
import { $api, api, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/me';
import { Confirm } from '../../../ui/Confirm';
import { Page } from '../../../ui/Page';
import { Read } from '../../../ui/Read';
import { Back, Gone } from '../Back';
import { numbersOf, schemaOf } from '../columns';
import { Csv } from '../entries/Csv';
import css from '../data.module.css';
import { Description } from '../Description';
import { wasDeleted } from '../undo/deleted';
import { Entries } from '../entries/Entries';
import { OpenEntry } from '../entries/EntryForm';
import { FilterBar } from '../entries/FilterBar';
import { everything } from '../entries/period';
import { QuickAdd } from '../entries/QuickAdd';
import { texts } from '../texts';
import { EditTool } from './ToolForm';
import { ToolChart } from './ToolChart';
import { toolTexts } from '../toolTexts';
import { useNames } from '../words';

/** One tool: its entries as a chart and a table. */
export function ToolPage({ id, entry }: { id: string; entry: string }) {
  const t = texts.use();
  const tool = $api.useQuery('get', '/v1/tools/{tool_id}', { params: { path: { tool_id: id } } });
  const type = $api.useQuery(
    'get',
    '/v1/tool-types/{tool_type_id}',
    { params: { path: { tool_type_id: tool.data?.tool_type ?? '' } } },
    { enabled: !!tool.data },
  );
  if (tool.data && type.data) return <Shown tool={tool.data} type={type.data} entry={entry} />;
  return (
    <Page title={tool.data ? <span className="clamp">{tool.data.name}</span> : t('title')}>
      <Gone query={tool}>
        <Read query={tool}>{() => <Read query={type}>{() => null}</Read>}</Read>
      </Gone>
    </Page>
  );
}

interface Props {
  tool: Schemas['Tool'];
  type: Schemas['ToolType'];
  entry: string;
}

function Shown({ tool, type, entry }: Props) {
  const t = texts.use();
  const tt = toolTexts.use();
  const names = useNames();
  const [, go] = useLocation();
  const [open, setOpen] = useState<'' | 'edit' | 'delete'>('');
  const [filter, setFilter] = useState(everything);
  const schema = schemaOf(type.entry_schema);
  const numbers = numbersOf(schema);
  const member = useMay('member');
  return (
    <Page
      name={tool.name.slice(0, 60)}
      title={<span className="clamp">{tool.name}</span>}
      actions={
        member && (
          <>
            <button type="button" onClick={() => setOpen('edit')}>
              {tt('edit')}
            </button>
            <button type="button" className="plain" onClick={() => setOpen('delete')}>
              {t('delete')}
            </button>
          </>
        )
      }
    >
      <Back zone={tool.zone_id} />
      <p className="row">
        <span className="badge">{names.type(type)}</span>
        {tool.always_send && (
          <span className="badge accent" title={t('send.hint')}>
            {t('send.badge')}
          </span>
        )}
        {tool.require_validation && (
          <span className="badge warn" title={t('validation.hint')}>
            {t('validation.badge')}
          </span>
        )}
        <Config tool={tool} />
      </p>
      <Description text={tool.description} />
      <div className={css.head}>
        {member ? <QuickAdd tool={tool} schema={schema} /> : <span />}
        <FilterBar filter={filter} onChange={setFilter} />
      </div>
      {numbers.length > 0 && (
        <div className={css.chart}>
          <ToolChart tool={tool} fields={numbers} filter={filter} />
        </div>
      )}
      <Entries key={JSON.stringify(filter)} tool={tool} schema={schema} filter={filter} />
      <Csv tool={tool} schema={schema} filter={filter} />
      {entry && (
        <OpenEntry
          id={entry}
          tool={tool}
          schema={schema}
          onClose={() => go(`/data/tools/${tool.id}`, { replace: true })}
        />
      )}
      {open === 'edit' && <EditTool tool={tool} onClose={() => setOpen('')} onSaved={() => setOpen('')} />}
      {open === 'delete' && (
        <Confirm
          title={t('tool.delete')}
          yes={t('delete')}
          danger
          onClose={() => setOpen('')}
          act={async () => {
            await api.DELETE('/v1/tools/{tool_id}', { params: { path: { tool_id: tool.id }, query: { force: true } } });
            wasDeleted('tool', [tool.id], tool.name);
            go(`/data/zones/${tool.zone_id}`);
          }}
        >
          <p>
            {t('delete.text', { name: tool.name })} {t('delete.tool.more')}
          </p>
        </Confirm>
      )}
    </Page>
  );
}

/** The configured values in one line. */
function Config({ tool }: { tool: Schemas['Tool'] }) {
  const names = useNames();
  const set = Object.entries(tool.config).filter(([, value]) => value !== null && value !== '');
  if (!set.length) return null;
  return (
    <span className="small muted clamp">
      {set
        .map(
          ([name, value]) => `${names.field({ name })}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
        )
        .join(' · ')
        .slice(0, 400)}
    </span>
  );
}
