import { useState } from 'react';
import { Link } from 'wouter';
import { $api, type Schemas } from '../../api/client';
import { useMay } from '../../api/me';
import { useFormat } from '../../i18n/format';
import { Read } from '../../ui/Read';
import { useWords } from '../../ui/session';
import { texts as uiTexts } from '../../ui/texts';
import { Scroll } from '../../ui/Scroll';
import { demoModel, priceOf } from './insight';
import { measured, totalOf, useMeasure, type Measure } from './sums';
import { texts } from './texts';
import styles from './usage.module.css';

const groups = ['model', 'provider', 'automation', 'purpose', 'type', 'session'] as const;
type Group = (typeof groups)[number];
type Row = Schemas['UsageSum'];

/** Usage by consumer, largest first. */
export function Groups({ since, measure }: { since: string; measure: Measure }) {
  const t = texts.use();
  const [group, setGroup] = useState<Group>('model');
  const [limit, setLimit] = useState(20);
  const tu = uiTexts.use();
  const query = $api.useQuery('get', '/v1/usage', { params: { query: { group_by: group, since, limit } } });
  return (
    <section className="stack tight" aria-labelledby="groups">
      <header className="row between">
        <h2 id="groups">{t('groups')}</h2>
        <label className="row small">
          {t('group')}
          <select
            value={group}
            onChange={(e) => {
              setGroup(e.target.value as Group);
              setLimit(20);
            }}
          >
            {groups.map((g) => (
              <option key={g} value={g}>
                {t(`group.${g}`)}
              </option>
            ))}
          </select>
        </label>
      </header>
      <Read query={query}>
        {({ data, next_cursor }) => (
          <>
            <Table group={group} rows={data} measure={measure} />
            {next_cursor && limit < 200 && (
              <p>
                <button type="button" className="small" onClick={() => setLimit(200)}>
                  {tu('more')}
                </button>
              </p>
            )}
          </>
        )}
      </Read>
    </section>
  );
}

function Table({ group, rows, measure }: { group: Group; rows: Row[]; measure: Measure }) {
  const t = texts.use();
  const f = useFormat();
  const say = useMeasure(measure);
  const sums = rows.map((row) => ({ row, sum: totalOf([row]) }));
  const all = measured(totalOf(rows), measure);
  return (
    <Scroll label={t(`group.${group}`)}>
      <table data-group={group}>
        <thead>
          <tr>
            <th scope="col">{t(`group.${group}`)}</th>
            <th scope="col">{t(`measure.${measure}`)}</th>
            <th scope="col" className="number">
              {t('cached')}
            </th>
            <th scope="col" className="number">
              {t('calls')}
            </th>
          </tr>
        </thead>
        <tbody>
          {sums.map(({ row, sum }) => {
            const value = measured(sum, measure);
            return (
              <tr key={row.key} data-key={row.key}>
                <th scope="row" className={styles.name}>
                  <Name group={group} row={row} />
                </th>
                <td>
                  <span className="nowrap">
                    {measure === 'cost' && !row.cost ? <NoCost group={group} row={row} /> : say(value)}
                  </span>
                  <span className={styles.share} aria-hidden="true">
                    <span style={{ width: all ? `${(value / all) * 100}%` : 0 }} />
                  </span>
                </td>
                <td className="number">{f.percent(sum.input ? sum.cached / sum.input : 0)}</td>
                <td className="number">{f.number(sum.calls)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Scroll>
  );
}

/** Why there is no amount: free, no answer, or an unknown price. */
function NoCost({ group, row }: { group: Group; row: Row }) {
  const t = texts.use();
  const admin = useMay('admin');
  if (group === 'provider' && !row.key) return <>{t('free')}</>;
  if (group !== 'model') return <>{t('cost.none')}</>;
  const price = priceOf(row);
  if (price !== 'unknown') return <>{price === 'free' ? t('free') : '–'}</>;
  return (
    <>
      {t('cost.none')}
      {admin && (
        <>
          {' · '}
          <Link href={`/settings/budgets/${encodeURIComponent(row.key)}`}>{t('price.set')}</Link>
        </>
      )}
    </>
  );
}

/** The name of the group, with a link if it has one. */
function Name({ group, row }: { group: Group; row: Row }) {
  const t = texts.use();
  const words = useWords();
  if (!row.key)
    return (
      <>
        {group === 'provider'
          ? t('none.provider')
          : group === 'automation'
            ? t('none.automation')
            : group === 'model'
              ? t(row.errors > 0 ? 'none.model' : 'none.model.stopped')
              : t('none.else')}
      </>
    );
  if (group === 'model' && row.key === demoModel) return <>{t('none.provider')}</>;
  const purpose = `purpose.${row.key}`;
  if (group === 'purpose') return <>{t.has(purpose) ? t(purpose) : row.key}</>;
  if (group === 'type') return <>{words.type(row.key)}</>;
  const name = <span className="clamp">{row.label || row.key}</span>;
  if (group === 'automation') return <Link href={`/automations/${row.key}`}>{name}</Link>;
  if (group === 'session') return <Link href={`/timeline/${row.key}`}>{name}</Link>;
  return name;
}
