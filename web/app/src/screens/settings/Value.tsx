import { useMemo } from 'react';
import { useFormat } from '../../i18n/format';
import { Field } from '../../ui/Field';
import { msOf } from './duration';
import type { FieldSpec } from './fields';
import { Sensitive } from './Sensitive';
import styles from './settings.module.css';
import { texts } from './texts';
import type { Draft, Settings } from './useSettings';

interface Props {
  spec: FieldSpec;
  draft: Draft;
  settings: Settings;
}

/** One setting: its control, the origin of its value, and the reset to the default. */
export function Value({ spec, draft, settings }: Props) {
  const t = texts.use();
  const name = spec.at.slice(1).replaceAll('/', '.');
  const label = `f.${name}`;
  const hint = `h.${name}`;
  const set = settings.changed?.includes(spec.at);
  const edited = draft.edited(spec.at);
  return (
    <div className={styles.value} data-setting={spec.at} data-changed={set || undefined}>
      {spec.kind === 'commands' ? (
        <Sensitive
          label={t.has(label) ? t(label) : name}
          hint={t.has(hint) ? t(hint) : ''}
          wrong={draft.wrong(spec.at)}
          chosen={(draft.get(spec.at) as string[] | null) ?? []}
          onChange={(next) => draft.set(spec.at, next)}
        />
      ) : (
        <Field
          label={t.has(label) ? t(label) : name}
          hint={<Hint text={t.has(hint) ? t(hint) : ''} spec={spec} value={draft.get(spec.at)} />}
          wrong={draft.wrong(spec.at)}
          check={spec.kind === 'check'}
        >
          <Control spec={spec} draft={draft} />
        </Field>
      )}
      <p className={styles.source}>
        <span
          className={edited ? 'badge warn' : set ? 'badge accent' : 'meta'}
          data-source={edited ? 'unsaved' : set ? 'set' : 'default'}
        >
          {t(edited ? 'source.unsaved' : set ? 'source.set' : 'source.default')}
        </span>
        {set && !edited && (
          <button type="button" className="plain small" onClick={() => draft.set(spec.at, null)}>
            {t('source.back')}
          </button>
        )}
      </p>
    </div>
  );
}

/** The meaning of a value; a duration in words. */
function Hint({ text, spec, value }: { text: string; spec: FieldSpec; value: unknown }) {
  const t = texts.use();
  const f = useFormat();
  const ms = spec.kind === 'duration' && typeof value === 'string' ? msOf(value) : null;
  return (
    <>
      {text}
      {spec.kind === 'duration' &&
        ` ${ms === null ? t('duration.how') : ms > 0 ? t('duration.is', { time: f.duration(ms) }) : ''}`}
    </>
  );
}

/** The control of a setting. Field provides its id. */
function Control({ spec, draft, ...given }: { spec: FieldSpec; draft: Draft; id?: string }) {
  const t = texts.use();
  const value = draft.get(spec.at);
  const set = (next: unknown) => draft.set(spec.at, next);
  const all = useMemo(
    () => (spec.kind === 'zone' ? ['UTC', ...(Intl.supportedValuesOf?.('timeZone') ?? [])] : []),
    [spec.kind],
  );
  switch (spec.kind) {
    case 'check':
      return <input type="checkbox" {...given} checked={value === true} onChange={(e) => set(e.target.checked)} />;
    case 'choice': {
      const choices = [...new Set([...(spec.choices ?? []), ...(typeof value === 'string' ? [value] : [])])];
      return (
        <select {...given} value={typeof value === 'string' ? value : ''} onChange={(e) => set(e.target.value)}>
          {value === null && <option value="">{t('source.default')}</option>}
          {choices.map((choice) => {
            const key = `o.${spec.at.slice(spec.at.lastIndexOf('/') + 1)}.${choice}`;
            return (
              <option key={choice} value={choice}>
                {t.has(key) ? t(key) : choice}
              </option>
            );
          })}
        </select>
      );
    }
    case 'number':
      return (
        <input
          type="number"
          {...given}
          min={spec.min}
          max={spec.max}
          className={styles.short}
          value={typeof value === 'number' ? value : ''}
          onChange={(e) => set(e.target.value === '' ? null : e.target.valueAsNumber)}
        />
      );
    case 'durations':
    case 'names':
      return (
        <input
          {...given}
          value={Array.isArray(value) ? value.join(', ') : ''}
          onChange={(e) => set(e.target.value.split(',').map((piece) => piece.trimStart()))}
          onBlur={() => Array.isArray(value) && set(value.map((piece: string) => piece.trim()).filter(Boolean))}
        />
      );
    case 'zone':
      return (
        <select {...given} value={typeof value === 'string' ? value : ''} onChange={(e) => set(e.target.value)}>
          {typeof value === 'string' && !all.includes(value) && <option value={value}>{value}</option>}
          {all.map((zone) => (
            <option key={zone} value={zone}>
              {zone.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      );
    default:
      return (
        <input
          {...given}
          className={spec.kind === 'duration' ? styles.short : undefined}
          value={typeof value === 'string' ? value : ''}
          onChange={(e) => set(e.target.value || null)}
        />
      );
  }
}
