import { useWords } from '../../ui/session';
import { texts } from './texts';
import type { useOpen } from './useOpen';
import css from './approvals.module.css';

type Open = ReturnType<typeof useOpen>;

/** Filters by kind and session; only existing values are offered. */
export function Filters({ open, name }: { open: Open; name: (session: string) => string | undefined }) {
  const t = texts.use();
  const words = useWords();
  const { filter, setFilter, kinds, sessions } = open;
  if (kinds.length < 2 && sessions.length < 2) return null;
  return (
    <div className={css.filters} role="group" aria-label={t('filter')}>
      <label className="field">
        <span className="small">{t('filter.kind')}</span>
        <select value={filter.kind} onChange={(e) => setFilter({ ...filter, kind: e.target.value })}>
          <option value="">{t('filter.all')}</option>
          {kinds.map((k) => (
            <option key={k} value={k}>
              {words.approval(k)}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span className="small">{t('filter.session')}</span>
        <select value={filter.session} onChange={(e) => setFilter({ ...filter, session: e.target.value })}>
          <option value="">{t('filter.all')}</option>
          {sessions.map((s) => (
            <option key={s} value={s}>
              {(name(s) || s).slice(0, 60)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
