import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { $api, type Schemas } from '../../../api/client';
import { useFormat } from '../../../i18n/format';
import { Chart } from '../../../ui/Chart';
import { Field } from '../../../ui/Field';
import { Read } from '../../../ui/Read';
import { meanOf, type Column } from '../columns';
import css from '../data.module.css';
import { groups, groupsFor, queryOf, secondsOfDay, type Filter, type Group } from '../entries/period';
import { entriesKey, readEntries, useEntries } from '../read';
import { toolTexts } from '../toolTexts';
import { useNames, useValueText } from '../words';

const figures = ['mean', 'sum', 'last', 'min', 'max'] as const;
type Figure = (typeof figures)[number];
const maxPoints = 600; // points that are drawn individually

interface Props {
  tool: Schemas['Tool'];
  fields: Column[];
  filter: Filter;
}

/** The values of a tool over time, individually or by day, week and month, with sums. */
export function ToolChart({ tool, fields, filter }: Props) {
  const t = toolTexts.use();
  const names = useNames();
  const [name, setName] = useState(fields[0]!.name);
  const [wanted, setWanted] = useState<Group>('none');
  const [figure, setFigure] = useState<Figure>('mean');
  const field = fields.find((column) => column.name === name) ?? fields[0]!;
  const stats = $api.useQuery(
    'get',
    '/v1/tools/{tool_id}/entries/stats',
    { params: { path: { tool_id: tool.id }, query: { ...queryOf(filter), field: field.name } } },
    { placeholderData: (old) => old },
  );
  const many = (stats.data?.data[0]?.count ?? 0) > maxPoints;
  const possible = usePossible(tool.id, filter).filter((one) => one !== 'none' || !many);
  const group = possible.includes(wanted) ? wanted : possible[0]!;
  const props: DrawProps = { tool, field, filter, total: stats.data?.data[0] };
  return (
    <section className="card stack" aria-labelledby="chart">
      <div className="row between">
        <h2 id="chart">{t('chart')}</h2>
        <div className={css.inline}>
          {fields.length > 1 && (
            <Field label={t('field')}>
              <select value={field.name} onChange={(e) => setName(e.target.value)}>
                {fields.map((column) => (
                  <option key={column.name} value={column.name}>
                    {names.field(column).slice(0, 60)}
                  </option>
                ))}
              </select>
            </Field>
          )}
          <Field label={t('group')}>
            <select value={group} onChange={(e) => setWanted(e.target.value as Group)}>
              {possible.map((one) => (
                <option key={one} value={one}>
                  {t(`group.${one}`)}
                </option>
              ))}
            </select>
          </Field>
          {group !== 'none' && (
            <Field label={t('figure')}>
              <select value={figure} onChange={(e) => setFigure(e.target.value as Figure)}>
                {figures.map((one) => (
                  <option key={one} value={one}>
                    {t(`figure.${one}`)}
                  </option>
                ))}
              </select>
            </Field>
          )}
        </div>
      </div>
      {group !== wanted && <p className="small muted">{t('chart.many', { group: t(`group.${group}`) })}</p>}
      <Read query={stats}>
        {({ data }) =>
          !data[0]?.count ? (
            <p className="muted">{t('chart.none')}</p>
          ) : group === 'none' ? (
            <Each {...props} />
          ) : (
            <Grouped {...props} group={group} figure={figure} />
          )
        }
      </Read>
    </section>
  );
}

/** The groupings of the period: the server returns 400 groups at most. */
function usePossible(tool: string, filter: Filter): Group[] {
  const [first] = useEntries(tool, { ...queryOf(filter), order: 'asc', limit: 1 }).data?.data ?? [];
  const [last] = useEntries(tool, { ...queryOf(filter), order: 'desc', limit: 1 }).data?.data ?? [];
  return first && last ? groupsFor((Date.parse(last.timestamp) - Date.parse(first.timestamp)) / 86_400_000) : groups;
}

interface DrawProps {
  tool: Schemas['Tool'];
  field: Column;
  filter: Filter;
  total?: Schemas['Stats'];
}

function useSummary({ tool, total }: DrawProps): string {
  const t = toolTexts.use();
  const f = useFormat();
  const value = useValueText(tool);
  const say = (n: number | null | undefined) =>
    n == null ? '–' : `${value.number(n)}${value.unit ? ` ${value.unit}` : ''}`;
  return total
    ? t('summary', {
        n: total.count,
        count: f.number(total.count),
        min: say(total.min),
        max: say(total.max),
        mean: say(meanOf(total)),
        last: say(total.last),
      })
    : '';
}

// All entries, oldest first, loaded 200 at a time.
async function allEntries(tool: string, filter: Filter): Promise<Schemas['Entry'][]> {
  const found: Schemas['Entry'][] = [];
  let after: string | undefined;
  do {
    const page: Schemas['EntryList'] = await readEntries(tool, {
      ...queryOf(filter),
      order: 'desc',
      limit: 200,
      after,
    });
    found.push(...page.data);
    after = page.next_cursor ?? undefined;
  } while (after && found.length < maxPoints + 200);
  return found.toReversed();
}

function Each(props: DrawProps) {
  const { tool, field, filter } = props;
  const t = toolTexts.use();
  const f = useFormat();
  const names = useNames();
  const summary = useSummary(props);
  const { unit } = useValueText(tool);
  const query = useQuery({
    queryKey: [...entriesKey(tool.id, queryOf(filter)), 'all of them'],
    queryFn: () => allEntries(tool.id, filter),
    placeholderData: (old) => old,
  });
  const label = names.field(field);
  const drawn = useMemo(() => {
    const points = (query.data ?? []).filter((entry) => typeof entry.data[field.name] === 'number');
    return {
      x: points.map((entry) => new Date(entry.timestamp).getTime() / 1000),
      series: [{ label, values: points.map((entry) => entry.data[field.name] as number) }],
    };
  }, [query.data, field.name, label]);
  return (
    <Read query={query}>
      {() => (
        <Chart
          {...drawn}
          unit={unit}
          label={t('chart.label', { field: label })}
          summary={summary}
          tableLabel={t('chart.table')}
          xLabel={t('when')}
          xText={(at) => f.time(at * 1000)}
        />
      )}
    </Read>
  );
}

function Grouped(props: DrawProps & { group: 'day' | 'week' | 'month'; figure: Figure }) {
  const { tool, field, filter, group, figure } = props;
  const t = toolTexts.use();
  const f = useFormat();
  const names = useNames();
  const summary = useSummary(props);
  const { unit } = useValueText(tool);
  const query = $api.useQuery(
    'get',
    '/v1/tools/{tool_id}/entries/stats',
    { params: { path: { tool_id: tool.id }, query: { ...queryOf(filter), field: field.name, group_by: group } } },
    { placeholderData: (old) => old },
  );
  const [shown, low, high] = [t(`figure.${figure}`), t('figure.min'), t('figure.max')];
  const drawn = useMemo(() => {
    const buckets = (query.data?.data ?? [])
      .filter((one) => one.bucket !== null && one.count > 0)
      .toSorted((a, b) => (a.bucket! < b.bucket! ? -1 : 1));
    const line = (label: string, of: Figure) => ({ label, values: buckets.map((one) => one[of]) });
    const band = figure === 'mean' ? [line(low, 'min'), line(high, 'max')] : [];
    return { x: buckets.map((one) => secondsOfDay(one.bucket!)), series: [line(shown, figure), ...band] };
  }, [query.data, figure, shown, low, high]);
  return (
    <Read query={query}>
      {() => (
        <Chart
          {...drawn}
          bars={figure === 'sum'}
          unit={unit}
          label={t('chart.label', { field: names.field(field) })}
          summary={summary}
          tableLabel={t('chart.table')}
          xLabel={t(`group.${group}`)}
          xText={(at) => f.date(at * 1000)}
        />
      )}
    </Read>
  );
}
