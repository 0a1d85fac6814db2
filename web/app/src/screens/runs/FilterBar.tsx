import { $api } from '../../api/client';
import { Field } from '../../ui/Field';
import { useWords } from '../../ui/session';
import { all, ends, triggers, underWay, type Filter } from './filter';
import css from './runs.module.css';
import { texts } from './texts';

/** What to show of the runs. */
export function FilterBar({ value: f, onChange }: { value: Filter; onChange: (f: Filter) => void }) {
  const t = texts.use();
  const words = useWords();
  const automations = $api.useQuery('get', '/v1/automations', { params: { query: { limit: 200 } } });
  const known = automations.data?.data ?? [];
  const set = (part: Partial<Filter>) => onChange({ ...f, ...part });
  const filtered = JSON.stringify(f) !== JSON.stringify(all);
  return (
    <div className={css.filter} role="search" aria-label={t('filter')}>
      <Field label={t('filter.automation')}>
        <select value={f.automation} onChange={(e) => set({ automation: e.target.value })}>
          <option value="">{t('filter.all')}</option>
          {f.automation && !known.some((a) => a.id === f.automation) && (
            <option value={f.automation}>{t('gone')}</option>
          )}
          {known.map((a) => (
            <option key={a.id} value={a.id}>
              {a.name.slice(0, 80)}
            </option>
          ))}
        </select>
      </Field>
      <Field label={t('filter.state')}>
        <select value={f.state} onChange={(e) => set({ state: e.target.value })}>
          <option value="">{t('filter.any')}</option>
          <optgroup label={t('filter.ended')}>
            {ends.map((reason) => (
              <option key={reason} value={`end:${reason}`}>
                {words.ended(reason)}
              </option>
            ))}
          </optgroup>
          <optgroup label={t('filter.underway')}>
            {underWay.map((status) => (
              <option key={status} value={`status:${status}`}>
                {words.status(status)}
              </option>
            ))}
          </optgroup>
          <option value="not_run">{t('filter.not_run')}</option>
        </select>
      </Field>
      <Field label={t('filter.trigger')}>
        <select value={f.trigger} onChange={(e) => set({ trigger: e.target.value })}>
          <option value="">{t('filter.any')}</option>
          {triggers.map((name) => (
            <option key={name} value={name}>
              {words.trigger(name)}
            </option>
          ))}
        </select>
      </Field>
      <Field label={t('filter.since')}>
        <input
          type="date"
          value={f.since}
          max={f.until || undefined}
          onChange={(e) => set({ since: e.target.value })}
        />
      </Field>
      <Field label={t('filter.until')}>
        <input
          type="date"
          value={f.until}
          min={f.since || undefined}
          onChange={(e) => set({ until: e.target.value })}
        />
      </Field>
      {filtered && (
        <button type="button" className="plain" onClick={() => onChange(all)}>
          {t('filter.clear')}
        </button>
      )}
    </div>
  );
}
