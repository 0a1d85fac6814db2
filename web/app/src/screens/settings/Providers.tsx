import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, api, body } from '../../api/client';
import { useAction } from '../../ui/action';
import { Confirm } from '../../ui/Confirm';
import { Empty } from '../../ui/Empty';
import { ProblemBox } from '../../ui/Problem';
import { Read } from '../../ui/Read';
import { texts as uiTexts } from '../../ui/texts';
import { ProviderForm, type Provider } from './ProviderForm';
import { TestResult, type Test } from './TestResult';
import { texts } from './texts';

/** Who answers: the providers of the workspace. Without one the demo answers. */
export function Providers() {
  const t = texts.use();
  const queries = useQueryClient();
  const providers = $api.useQuery('get', '/v1/providers', { params: { query: { limit: 200 } } });
  const kinds = $api.useQuery('get', '/v1/provider-kinds');
  const [editing, setEditing] = useState<Provider | 'new' | null>(null);
  const [deleting, setDeleting] = useState<Provider | null>(null);
  const fresh = () =>
    queries.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[1]).startsWith('/v1/providers') });
  if (editing)
    return (
      <Read query={kinds}>
        {({ data }) => (
          <ProviderForm
            kinds={data}
            provider={editing === 'new' ? null : editing}
            onSaved={fresh}
            onClose={() => {
              setEditing(null);
              void fresh();
            }}
          />
        )}
      </Read>
    );
  const kindName = (name: string) => kinds.data?.data.find((k) => k.name === name)?.display_name ?? name;
  return (
    <div className="stack">
      <p>{t('providers.text')}</p>
      <p>
        <button type="button" className="primary" onClick={() => setEditing('new')}>
          {t('providers.add')}
        </button>
      </p>
      <Read query={providers}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{t('providers.none')}</Empty>
          ) : (
            <ul className="plain stack">
              {data.map((p) => (
                <Item
                  key={p.id}
                  provider={p}
                  kind={kindName(p.kind)}
                  onEdit={() => setEditing(p)}
                  onDelete={() => setDeleting(p)}
                  onChanged={fresh}
                />
              ))}
            </ul>
          )
        }
      </Read>
      {deleting && (
        <Confirm
          title={t('providers.delete.of', { name: deleting.name.slice(0, 80) })}
          yes={t('providers.delete')}
          danger
          onClose={() => setDeleting(null)}
          act={async () => {
            await api.DELETE('/v1/providers/{provider_id}', {
              params: { path: { provider_id: deleting.id }, header: { 'If-Match': `"${deleting.version}"` } },
            });
            await fresh();
          }}
        >
          <p>{t('providers.delete.text')}</p>
        </Confirm>
      )}
    </div>
  );
}

interface ItemProps {
  provider: Provider;
  kind: string;
  onEdit: () => void;
  onDelete: () => void;
  onChanged: () => Promise<void>;
}

function Item({ provider, kind, onEdit, onDelete, onChanged }: ItemProps) {
  const t = texts.use();
  const tu = uiTexts.use();
  const [result, setResult] = useState<Test | null>(null);
  const path = { provider_id: provider.id };
  const test = useAction(async () => {
    setResult(null);
    setResult(await body(api.POST('/v1/providers/{provider_id}/test', { params: { path } })));
  });
  const choose = useAction(async () => {
    await api.PATCH('/v1/providers/{provider_id}', {
      params: { path, header: { 'If-Match': `"${provider.version}"` } },
      body: { is_default: true },
    });
    await onChanged();
  });
  const model = typeof provider.config.model === 'string' ? provider.config.model : '';
  return (
    <li className="card stack tight" data-provider={provider.id}>
      <div className="row between">
        <h3 className="clamp grow">{provider.name}</h3>
        {provider.is_default && <span className="badge ok">{t('providers.default')}</span>}
      </div>
      <p className="muted small">
        <span className="clamp">
          {kind}
          {model && ` · ${model}`}
        </span>
      </p>
      <div className="row">
        <button type="button" className="small" disabled={test.busy} onClick={() => void test.run()}>
          {t(test.busy ? 'test.runs' : 'test')}
        </button>
        <button type="button" className="small" onClick={onEdit}>
          {tu('edit')}
        </button>
        {!provider.is_default && (
          <button type="button" className="small" disabled={choose.busy} onClick={() => void choose.run()}>
            {t('providers.choose')}
          </button>
        )}
        <button type="button" className="small danger" onClick={onDelete}>
          {t('providers.delete')}
        </button>
      </div>
      {test.problem != null && <ProblemBox thrown={test.problem} />}
      {choose.problem != null && <ProblemBox thrown={choose.problem} />}
      {result && <TestResult result={result} />}
    </li>
  );
}
