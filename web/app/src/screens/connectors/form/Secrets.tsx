import { Field } from '../../../ui/Field';
import css from '../connectors.module.css';
import { secret, type Secret } from './draft';
import { texts } from './texts';

interface OneProps {
  label: string;
  of: Secret;
  set: (next: Secret) => void;
  hint?: string;
  wrong?: string;
  again?: boolean;
}

/** A secret. A stored one is never shown: an empty field keeps it. */
export function SecretField({ label, of, set, hint, wrong, again }: OneProps) {
  const t = texts.use();
  return (
    <Field label={label} hint={of.kept && !again ? t('kept') : hint} wrong={wrong ?? (again ? t('again') : undefined)}>
      <input
        type="password"
        autoComplete="new-password"
        spellCheck={false}
        placeholder={of.kept ? '••••••' : undefined}
        value={of.value}
        onChange={(e) => set({ ...of, value: e.target.value })}
      />
    </Field>
  );
}

interface Props {
  what: 'headers' | 'env';
  list: Secret[];
  set: (next: Secret[]) => void;
  wrong: (pointer: string) => string | undefined;
  /** The secrets that have to be entered again. */
  again: readonly Secret[];
}

/** Names with secret values: headers, environment variables. */
export function Secrets({ what, list, set, wrong, again }: Props) {
  const t = texts.use();
  const change = (next: Secret) => set(list.map((s) => (s.key === next.key ? next : s)));
  return (
    <fieldset className="stack tight">
      <legend className="small">
        <strong>{t(what)}</strong>
      </legend>
      {what === 'headers' && <p className="small muted">{t('headers.hint')}</p>}
      {list.map((s) => (
        <div key={s.key} className={css.pair}>
          <Field label={t('pair.name')}>
            <input
              value={s.name}
              maxLength={200}
              readOnly={s.kept}
              autoComplete="off"
              spellCheck={false}
              onChange={(e) => change({ ...s, name: e.target.value })}
            />
          </Field>
          <SecretField
            label={t('pair.value')}
            of={s}
            set={change}
            wrong={s.name ? wrong(`/config/${what}/${s.name.replaceAll('~', '~0').replaceAll('/', '~1')}`) : undefined}
            again={again.includes(s)}
          />
          <button
            type="button"
            className="plain small"
            aria-label={t('pair.remove', { name: s.name })}
            onClick={() => set(list.filter((other) => other.key !== s.key))}
          >
            ✕
          </button>
        </div>
      ))}
      {wrong(`/config/${what}`) && <p className="wrong">{wrong(`/config/${what}`)}</p>}
      <p>
        <button type="button" className="small" onClick={() => set([...list, secret()])}>
          {t(`pair.add.${what}`)}
        </button>
      </p>
    </fieldset>
  );
}
