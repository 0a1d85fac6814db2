import { useState } from 'react';
import { api, body } from '../../api/client';
import { useAction } from '../../ui/action';
import { ProblemBox } from '../../ui/Problem';
import { texts } from './texts';

/** The models that a provider offers, asked for when somebody wants to choose one. */
export function Models({ provider, onChoose }: { provider: string; onChoose: (model: string) => void }) {
  const t = texts.use();
  const [models, setModels] = useState<string[] | null>(null);
  const load = useAction(async () =>
    setModels(
      (
        await body(api.GET('/v1/providers/{provider_id}/models', { params: { path: { provider_id: provider } } }))
      ).data.map((m) => m.id),
    ),
  );
  return (
    <div className="stack tight">
      {load.problem != null && <ProblemBox thrown={load.problem} onClose={load.clear} />}
      {models === null ? (
        <p>
          <button type="button" className="small" disabled={load.busy} onClick={() => void load.run()}>
            {t('models')}
          </button>
        </p>
      ) : models.length === 0 ? (
        <p className="muted">{t('models.none')}</p>
      ) : (
        <label className="row">
          {t('models.choose')}
          <select defaultValue="" onChange={(e) => e.target.value && onChoose(e.target.value)}>
            <option value="">{t('models.some', { n: models.length })}</option>
            {models.map((model) => (
              <option key={model} value={model}>
                {model}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}
