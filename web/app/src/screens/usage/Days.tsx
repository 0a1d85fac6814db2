import type { Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { Scroll } from '../../ui/Scroll';
import { measured, totalOf, useMeasure, type Measure } from './sums';
import { texts } from './texts';
import styles from './usage.module.css';

/** A bar chart by day, and the same as a table. */
export function Days({ days, rows, measure }: { days: string[]; rows: Schemas['UsageSum'][]; measure: Measure }) {
  const t = texts.use();
  const f = useFormat();
  const say = useMeasure(measure);
  const byDay = new Map(rows.map((row) => [row.key, row]));
  const values = days.map((day) => ({
    day,
    value: measured(totalOf([byDay.get(day)].filter((row) => row !== undefined)), measure),
  }));
  const highest = Math.max(...values.map((v) => v.value));
  const date = (day: string) => f.date(`${day}T12:00:00Z`, 'UTC');
  return (
    <section className="stack tight" aria-labelledby="days">
      <h2 id="days">{t('days')}</h2>
      {highest > 0 && <p className="muted small right">{say(highest)}</p>}
      <div className={styles.chart} aria-hidden="true">
        {values.map(({ day, value }) => (
          <span key={day} className={styles.day} title={`${date(day)} : ${say(value)}`}>
            <span className={`${styles.bar} drawn`} style={{ height: highest ? `${(value / highest) * 100}%` : 0 }} />
          </span>
        ))}
      </div>
      <p className="row between muted small" aria-hidden="true">
        <span>{date(days[0]!)}</span>
        {days.length > 1 && <span>{date(days[days.length - 1]!)}</span>}
      </p>
      <details>
        <summary>{t('days.table')}</summary>
        <Scroll label={t('days.table')}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('day')}</th>
                <th scope="col" className="number">
                  {t('cost')}
                </th>
                <th scope="col" className="number">
                  {t('tokens')}
                </th>
                <th scope="col" className="number">
                  {t('calls')}
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => {
                const sum = totalOf([row]);
                return (
                  <tr key={row.key}>
                    <th scope="row">{date(row.key)}</th>
                    <td className="number">
                      {row.cost ? f.money(row.cost.amount, row.cost.currency) : t('cost.none')}
                    </td>
                    <td className="number">{f.number(sum.tokens)}</td>
                    <td className="number">{f.number(sum.calls)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </Scroll>
      </details>
    </section>
  );
}
