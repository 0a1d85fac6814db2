import { Field } from '../../../ui/Field';
import { advancedTexts } from './texts';
import type { Draft } from '../draft/draft';
import { Fold } from './Fold';
import type { PartProps } from '../draft/partProps';
import { Grants } from './Grants';

/** How changes are approved. */
export function Permissions({ draft, set, automation }: PartProps) {
  const t = advancedTexts.use();
  return (
    <Fold title={t('allow')} state={t(draft.validation ? `allow.${draft.validation}` : 'allow.default')}>
      <p className="muted small">{t('allow.what')}</p>
      <Field check label={t('allow.require')} hint={t('allow.require.hint')}>
        <input
          type="checkbox"
          checked={draft.requireValidation}
          onChange={(e) => set({ requireValidation: e.target.checked })}
        />
      </Field>
      <Field label={t('allow.asked')}>
        <select value={draft.validation} onChange={(e) => set({ validation: e.target.value as Draft['validation'] })}>
          {(['', 'park', 'refuse', 'allow'] as const).map((v) => (
            <option key={v} value={v}>
              {t(`allow.${v || 'default'}`)}
            </option>
          ))}
        </select>
      </Field>
      {automation ? <Grants id={automation.id} /> : <p className="muted small">{t('grants.later')}</p>}
    </Fold>
  );
}
