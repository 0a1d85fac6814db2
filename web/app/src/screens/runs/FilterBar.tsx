import { X } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { $api } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { Field } from '../../ui/Field';
import { Icon } from '../../ui/Icon';
import { useWords } from '../../ui/session';
import { all, ends, triggers, underWay, type Filter } from './filter';
import css from './runs.module.css';
import { texts } from './texts';

interface Props {
  value: Filter;
  onChange: (f: Filter) => void;
}

/** The filter of runs: active values as chips, the rest collapsed. */
export function FilterBar({ value: f, onChange }: Props) {
  const t = texts.use();
  const [open, setOpen] = useState(false);
  const chosen = useChosen(f);
  return (
    <div className="stack tight" role="search" aria-label={t('filter')}>
      <div className="row">
        {[
          ['', t('filter.every')],
          ['end:ERROR', t('filter.failed')],
          ['not_run', t('filter.not_run')],
        ].map(([state, words]) => (
          <button
            key={state}
            type="button"
            className={`chip ${css.chip}`}
            aria-pressed={f.state === state}
            onClick={() => onChange({ ...f, state: state! })}
          >
            {words}
          </button>
        ))}
        {chosen.map(([name, words]) => (
          <button
            key={name}
            type="button"
            className={`chip ${css.chip}`}
            data-chip={name}
            aria-label={t('filter.drop', { what: words })}
            onClick={() => onChange({ ...f, [name]: '' })}
          >
            <span className={css.cut}>{words}</span>
            <Icon of={X} size={14} />
          </button>
        ))}
        <button type="button" className="plain small" aria-expanded={open} onClick={() => setOpen(!open)}>
          {t('filter.more')}
        </button>
        {chosen.length > 0 && (
          <button type="button" className="plain small" onClick={() => onChange(all)}>
            {t('filter.clear')}
          </button>
        )}
      </div>
      {open && <Choices value={f} onChange={onChange} />}
    </div>
  );
}

const quick = ['', 'end:ERROR', 'not_run'];

/** The active values other than the quick ones, in words. */
function useChosen(f: Filter): [keyof Filter, string][] {
  const t = texts.use();
  const words = useWords();
  const format = useFormat();
  const automation = $api.useQuery(
    'get',
    '/v1/automations/{automation_id}',
    { params: { path: { automation_id: f.automation } } },
    { enabled: f.automation !== '', retry: false },
  );
  const [kind, value = ''] = f.state.split(':');
  const day = (text: string) => format.date(`${text}T12:00:00Z`, 'UTC');
  const chosen: [keyof Filter, string][] = [
    ['automation', f.automation && (automation.data?.name.slice(0, 80) ?? (automation.error ? t('gone') : '…'))],
    ['state', quick.includes(f.state) ? '' : kind === 'end' ? words.ended(value) : words.status(value)],
    ['trigger', f.trigger && words.trigger(f.trigger)],
    ['since', f.since && t('filter.from', { day: day(f.since) })],
    ['until', f.until && t('filter.to', { day: day(f.until) })],
  ];
  return chosen.filter(([, text]) => text !== '');
}

function Choices({ value: f, onChange }: Props) {
  const t = texts.use();
  const words = useWords();
  const automations = $api.useQuery('get', '/v1/automations', { params: { query: { limit: 200 } } });
  const known = automations.data?.data ?? [];
  const set = (part: Partial<Filter>) => onChange({ ...f, ...part });
  const list = (of: readonly string[], say: (name: string) => string, kind = '') =>
    of.map((name) => (
      <option key={name} value={kind + name}>
        {say(name)}
      </option>
    ));
  const choice = (name: 'automation' | 'state' | 'trigger', label: string, any: string, options: ReactNode) => (
    <Field label={label}>
      <select value={f[name]} onChange={(e) => set({ [name]: e.target.value })}>
        <option value="">{any}</option>
        {options}
      </select>
    </Field>
  );
  return (
    <div className={css.filter}>
      {choice(
        'automation',
        t('filter.automation'),
        t('filter.all'),
        <>
          {f.automation && !known.some((a) => a.id === f.automation) && (
            <option value={f.automation}>{t('gone')}</option>
          )}
          {known.map((a) => (
            <option key={a.id} value={a.id}>
              {a.name.slice(0, 80)}
            </option>
          ))}
        </>,
      )}
      {choice(
        'state',
        t('filter.state'),
        t('filter.any'),
        <>
          <optgroup label={t('filter.ended')}>{list(ends, words.ended, 'end:')}</optgroup>
          <optgroup label={t('filter.underway')}>{list(underWay, words.status, 'status:')}</optgroup>
          <option value="not_run">{t('filter.not_run')}</option>
        </>,
      )}
      {choice('trigger', t('filter.trigger'), t('filter.any'), list(triggers, words.trigger))}
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
    </div>
  );
}
