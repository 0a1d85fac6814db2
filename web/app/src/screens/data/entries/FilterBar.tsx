import { Field } from '../../../ui/Field';
import css from '../data.module.css';
import { periods, type Filter } from './period';
import { toolTexts } from '../toolTexts';

const names = [...Object.keys(periods), 'own'] as (keyof typeof periods | 'own')[];

/** The filter of entries for the chart, the table and the download. */
export function FilterBar({ filter, onChange }: { filter: Filter; onChange: (filter: Filter) => void }) {
  const t = toolTexts.use();
  return (
    <div className={css.inline}>
      <Field label={t('period')}>
        <select value={filter.period} onChange={(e) => onChange({ ...filter, period: e.target.value })}>
          {names.map((name) => (
            <option key={name} value={name}>
              {t(`period.${name}`)}
            </option>
          ))}
        </select>
      </Field>
      {filter.period === 'own' && (
        <>
          <Field label={t('from')}>
            <input type="date" value={filter.from} onChange={(e) => onChange({ ...filter, from: e.target.value })} />
          </Field>
          <Field label={`${t('to')} (${t('to.hint')})`}>
            <input type="date" value={filter.to} onChange={(e) => onChange({ ...filter, to: e.target.value })} />
          </Field>
        </>
      )}
    </div>
  );
}
