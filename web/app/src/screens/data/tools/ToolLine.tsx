import { Link } from 'wouter';
import type { Schemas } from '../../../api/client';
import { Time } from '../../../ui/Time';
import { columnsOf, schemaOf } from '../columns';
import { useEntries } from '../read';
import { texts } from '../texts';
import { useNames, useValueText } from '../words';

interface Props {
  tool: Schemas['Tool'];
  type?: Schemas['ToolType'];
  latest: boolean;
}

/** A tool where it is one of many: its name, its kind, its latest entry. */
export function ToolLine({ tool, type, latest }: Props) {
  const t = texts.use();
  const names = useNames();
  return (
    <li data-tool={tool.id}>
      <span className="row">
        <Link href={`/data/tools/${tool.id}`} className="clamp">
          {tool.name}
        </Link>
        <span className="badge">{type ? names.type(type) : tool.tool_type}</span>
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
      </span>
      {tool.description && <span className="small muted clamp">{tool.description}</span>}
      {latest && type && <Latest tool={tool} type={type} />}
    </li>
  );
}

function Latest({ tool, type }: { tool: Schemas['Tool']; type: Schemas['ToolType'] }) {
  const t = texts.use();
  const value = useValueText(tool);
  const { data } = useEntries(tool.id, { limit: 1 });
  if (!data) return null;
  const [entry] = data.data;
  if (!entry) return <span className="small muted">{t('tool.none')}</span>;
  const column = columnsOf(schemaOf(type.entry_schema)).find(({ name }) => entry.data[name] !== undefined);
  const said = column
    ? value.text(entry.data[column.name]).slice(0, 200) +
      (column.kind === 'number' && value.unit ? ` ${value.unit}` : '')
    : '';
  return (
    <span className="small muted clamp">
      {t('tool.latest')} <span data-latest>{said}</span>, <Time at={entry.timestamp} />
    </span>
  );
}
