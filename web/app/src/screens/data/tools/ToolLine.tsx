import { Link } from 'wouter';
import type { Schemas } from '../../../api/client';
import { Time } from '../../../ui/Time';
import { visible } from '../../../ui/visible';
import { columnsOf, schemaOf } from '../columns';
import css from '../data.module.css';
import { useEntries } from '../read';
import { texts } from '../texts';
import { useNames, useValueText } from '../words';

interface Props {
  tool: Schemas['Tool'];
  type?: Schemas['ToolType'];
  latest: boolean;
}

const few = 20; // values of a sparkline

/** A tool in a list: name, latest value and trend. */
export function ToolLine({ tool, type, latest }: Props) {
  const t = texts.use();
  const names = useNames();
  return (
    <li data-tool={tool.id} className={css.tool}>
      <span className={css.toolName}>
        <Link href={`/data/tools/${tool.id}`}>
          <bdi>{visible(tool.name)}</bdi>
        </Link>
        <span className="meta">{type ? names.type(type) : tool.tool_type}</span>
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
      {latest && type ? <Latest tool={tool} type={type} /> : <span />}
    </li>
  );
}

function Latest({ tool, type }: { tool: Schemas['Tool']; type: Schemas['ToolType'] }) {
  const t = texts.use();
  const value = useValueText(tool);
  const columns = columnsOf(schemaOf(type.entry_schema));
  const numeric = columns.some((c) => c.kind === 'number');
  const { data } = useEntries(tool.id, { limit: numeric ? few : 1 });
  if (!data) return null;
  const [entry] = data.data;
  if (!entry) return <span className={`meta ${css.latest}`}>{t('tool.none')}</span>;
  const column = columns.find(({ name }) => entry.data[name] !== undefined);
  const said = column
    ? value.text(entry.data[column.name]).slice(0, 200) +
      (column.kind === 'number' && value.unit ? ` ${value.unit}` : '')
    : '';
  const values =
    column?.kind === 'number'
      ? data.data.map((e) => e.data[column.name]).filter((n): n is number => typeof n === 'number')
      : [];
  return (
    <>
      <span className={`${css.latest} figures`}>
        <span className="visually-hidden">{t('tool.latest')} </span>
        <span data-latest>{said}</span>
      </span>
      <Sparkline values={values.toReversed()} />
      <span className={`meta ${css.at}`}>
        <Time at={entry.timestamp} />
      </span>
    </>
  );
}

const [wide, high] = [72, 20];

/** The trend of the latest values, as decoration: the numbers are on the tool's own page. */
function Sparkline({ values }: { values: number[] }) {
  if (values.length < 2) return <span className={css.spark} />;
  const least = Math.min(...values);
  const span = Math.max(...values) - least || 1;
  const points = values
    .map(
      (n, i) =>
        `${((i / (values.length - 1)) * (wide - 4) + 2).toFixed(1)},${(high - 2 - ((n - least) / span) * (high - 4)).toFixed(1)}`,
    )
    .join(' ');
  return (
    <svg className={css.spark} viewBox={`0 0 ${wide} ${high}`} aria-hidden="true" focusable="false">
      <polyline points={points} fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinejoin="round" />
    </svg>
  );
}
