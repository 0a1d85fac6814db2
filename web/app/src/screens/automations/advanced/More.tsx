import { $api } from '../../../api/client';
import { Field } from '../../../ui/Field';
import { advancedTexts } from './texts';
import css from '../automations.module.css';
import type { Draft } from '../draft/draft';
import { errorAt, errorBelow } from '../draft/errors';
import { Fold } from './Fold';
import type { PartProps } from '../draft/partProps';

const choices = {
  misfire: ['once', 'all', 'skip'],
  overlap: ['skip', 'queue', 'restart'],
  completion: ['auto', 'ask'],
} as const;

/** Other settings: provider, missed runs, tags. */
export function More({ draft, set, errors }: PartProps) {
  const t = advancedTexts.use();
  const providers = $api.useQuery('get', '/v1/providers', { params: { query: { limit: 200 } } });
  const known = providers.data?.data ?? [];
  return (
    <Fold title={t('more')}>
      <div className={css.two}>
        {(Object.keys(choices) as (keyof typeof choices)[]).map((name) => (
          <Field key={name} label={t(name)} hint={t(`${name}.hint`)}>
            <select value={draft[name]} onChange={(e) => set({ [name]: e.target.value } as Partial<Draft>)}>
              {choices[name].map((value) => (
                <option key={value} value={value}>
                  {t(`${name}.${value}` as 'misfire.once')}
                </option>
              ))}
            </select>
          </Field>
        ))}
        <Field label={t('provider')} hint={t('provider.hint')} wrong={errorAt(errors, '/provider_id')}>
          <select value={draft.provider} onChange={(e) => set({ provider: e.target.value })}>
            <option value="">{t('provider.default')}</option>
            {draft.provider && !known.some((p) => p.id === draft.provider) && (
              <option value={draft.provider}>{draft.provider}</option>
            )}
            {known.map((p) => (
              <option key={p.id} value={p.id}>
                {p.name.slice(0, 80)}
                {typeof p.config.model === 'string' ? ` (${String(p.config.model)})` : ''}
              </option>
            ))}
          </select>
        </Field>
      </div>
      <Field label={t('tags')} hint={t('tags.hint')} wrong={errorBelow(errors, '/tags')}>
        <input value={draft.tags} onChange={(e) => set({ tags: e.target.value })} />
      </Field>
      <Field label={t('commands')} hint={t('commands.hint')} wrong={errorBelow(errors, '/commands')}>
        <input
          value={draft.commands}
          autoComplete="off"
          spellCheck={false}
          onChange={(e) => set({ commands: e.target.value })}
        />
      </Field>
    </Fold>
  );
}
