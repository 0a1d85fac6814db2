import { $api } from '../../api/client';
import { texts as uiTexts } from '../../ui/texts';
import { texts } from './texts';
import type { Draft } from './useSettings';

/** The fallback providers, in the order in which they are tried while the first one is down. */
export function Fallback({ draft }: { draft: Draft }) {
  const t = texts.use();
  const tu = uiTexts.use();
  const providers = $api.useQuery('get', '/v1/providers', { params: { query: { limit: 200 } } }).data?.data ?? [];
  const chosen = (draft.get('/fallback_providers') ?? []) as string[];
  const left = providers.filter((p) => !chosen.includes(p.id));
  const name = (id: string) => providers.find((p) => p.id === id)?.name ?? id;
  const wrong = draft.wrong('/fallback_providers');
  return (
    <fieldset className="stack tight" data-setting="/fallback_providers">
      <legend>
        <strong>{t('fallback')}</strong>
      </legend>
      <p className="muted small">{t('fallback.text')}</p>
      {chosen.length > 0 && (
        <ol className="plain stack tight">
          {chosen.map((id, i) => (
            <li key={id} className="row">
              <span className="badge">{i + 1}</span>
              <span className="clamp">{name(id)}</span>
              <button
                type="button"
                className="small"
                aria-label={t('fallback.remove', { name: name(id) })}
                onClick={() =>
                  draft.set(
                    '/fallback_providers',
                    chosen.filter((c) => c !== id),
                  )
                }
              >
                {tu('remove')}
              </button>
            </li>
          ))}
        </ol>
      )}
      {left.length > 0 && (
        <select
          aria-label={t('fallback.add')}
          value=""
          onChange={(e) => e.target.value && draft.set('/fallback_providers', [...chosen, e.target.value])}
        >
          <option value="">{t('fallback.add')}</option>
          {left.map((p) => (
            <option key={p.id} value={p.id}>
              {p.name}
            </option>
          ))}
        </select>
      )}
      {wrong && <p className="wrong">{wrong}</p>}
    </fieldset>
  );
}
