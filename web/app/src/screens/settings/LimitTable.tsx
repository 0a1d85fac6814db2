import { useId } from 'react';
import { amounts, counters, strict } from './fields';
import styles from './settings.module.css';
import { texts } from './texts';
import type { Draft, Settings } from './useSettings';

const types = ['chat', 'automation'] as const;

/** Limits of chats and of automations side by side; an empty field sets no limit. */
export function LimitTable({
  rows,
  draft,
  settings,
}: {
  rows: readonly ((typeof counters)[number] | (typeof amounts)[number])[];
  draft: Draft;
  settings: Settings;
}) {
  const t = texts.use();
  const id = useId();
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">{t('limit')}</th>
            {types.map((type) => (
              <th scope="col" key={type} id={`${id}${type}`}>
                {t(`limit.${type}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row}>
              <th scope="row" className={styles.limit} id={`${id}${row}`}>
                {t(`l.${row}`)}
                <span className="hint muted small">{t(`lh.${row}`)}</span>
              </th>
              {types.map((type) => (
                <td key={type}>
                  <Limit
                    at={`/limits/${type}/${row}`}
                    labelledBy={`${id}${row} ${id}${type}`}
                    draft={draft}
                    settings={settings}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Limit({
  at,
  labelledBy,
  draft,
  settings,
}: {
  at: string;
  labelledBy: string;
  draft: Draft;
  settings: Settings;
}) {
  const t = texts.use();
  const id = useId();
  const value = draft.get(at);
  const wrong = draft.wrong(at);
  const edited = draft.edited(at);
  const set = settings.changed?.includes(at);
  return (
    <div className={styles.cell} data-setting={at}>
      <input
        type="number"
        step={at.includes('_cost_') ? 'any' : 1}
        min={0}
        className={styles.short}
        placeholder={t('limit.none')}
        aria-labelledby={labelledBy}
        aria-invalid={wrong ? true : undefined}
        aria-describedby={wrong ? `${id}w` : `${id}s`}
        value={typeof value === 'number' ? value : ''}
        onChange={(e) => draft.set(at, e.target.value === '' ? null : e.target.valueAsNumber)}
      />
      {wrong && (
        <p id={`${id}w`} className={styles.wrong}>
          {wrong}
        </p>
      )}
      <span
        id={`${id}s`}
        className={edited ? 'badge warn' : set ? 'badge accent' : 'meta'}
        data-source={edited ? 'unsaved' : set ? 'set' : 'default'}
      >
        {t(edited ? 'source.unsaved' : set ? 'source.set' : 'source.default')}
      </span>
    </div>
  );
}

/** Fills in the strict limits, which are saved like any other change. */
export function Strict({ draft }: { draft: Draft }) {
  const t = texts.use();
  return (
    <p className="row">
      <button
        type="button"
        onClick={() => {
          for (const type of types) strict[type].forEach((n, i) => draft.set(`/limits/${type}/${counters[i]}`, n));
        }}
      >
        {t('strict')}
      </button>
      <span className="muted small">{t('strict.text')}</span>
    </p>
  );
}
