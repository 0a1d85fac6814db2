import { $api } from '../../api/client';
import { Field } from '../../ui/Field';
import { texts } from './texts';

interface Props {
  provider: string;
  model: string;
  onChoose: (model: string) => void;
}

/** The models of a provider, to choose from; loaded once the provider is known. */
export function Models({ provider, model, onChoose }: Props) {
  const t = texts.use();
  const query = $api.useQuery(
    'get',
    '/v1/providers/{provider_id}/models',
    { params: { path: { provider_id: provider } } },
    { retry: false },
  );
  const models = query.data?.data ?? [];
  if (models.length === 0) return null; // not every vendor lists them, and a wrong key has been reported already
  return (
    <Field label={t('models.choose')} hint={t('models.some', { n: models.length })}>
      <select value={models.some((m) => m.id === model) ? model : ''} onChange={(e) => onChoose(e.target.value)}>
        <option value="">{t('models.none')}</option>
        {models.map((m) => (
          <option key={m.id} value={m.id}>
            {m.id}
          </option>
        ))}
      </select>
    </Field>
  );
}
