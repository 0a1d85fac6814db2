import { Cpu } from 'lucide-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, api, body } from '../../api/client';
import { useAction } from '../../ui/action';
import { Confirm } from '../../ui/Confirm';
import { Empty } from '../../ui/Empty';
import { ProblemBox } from '../../ui/Problem';
import { Read } from '../../ui/Read';
import { Status } from '../../ui/Status';
import { texts as uiTexts } from '../../ui/texts';
import { visible } from '../../ui/visible';
import { Line, Lines } from '../rows/Line';
import { Menu } from '../rows/Menu';
import { ProviderForm, type Provider } from './ProviderForm';
import { TestResult, type Test } from './TestResult';
import { texts } from './texts';

/** The providers of the workspace. Without one the demo answers. */
export function Providers() {
  const t = texts.use();
  const queries = useQueryClient();
  const providers = $api.useQuery('get', '/v1/providers', { params: { query: { limit: 200 } } });
  const kinds = $api.useQuery('get', '/v1/provider-kinds');
  const [editing, setEditing] = useState<Provider | 'new' | null>(null);
  const [deleting, setDeleting] = useState<Provider | null>(null);
  const refresh = () =>
    queries.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[1]).startsWith('/v1/providers') });
  const close = () => {
    setEditing(null);
    void refresh();
  };
  if (editing) {
    const provider = editing === 'new' ? null : editing;
    return (
      <Read query={kinds}>
        {({ data }) => <ProviderForm kinds={data} provider={provider} onSaved={refresh} onClose={close} />}
      </Read>
    );
  }
  const kindName = (name: string) => kinds.data?.data.find((k) => k.name === name)?.display_name ?? name;
  const itemOf = (p: Provider) => (
    <Item
      key={p.id}
      provider={p}
      kind={kindName(p.kind)}
      onEdit={() => setEditing(p)}
      onDelete={() => setDeleting(p)}
      onChanged={refresh}
    />
  );
  return (
    <div className="stack">
      <p>{t('providers.text')}</p>
      <p>
        <button type="button" className="primary" onClick={() => setEditing('new')}>
          {t('providers.add')}
        </button>
      </p>
      <Read query={providers} rows={2}>
        {({ data }) => {
          if (data.length === 0) return <Empty>{t('providers.none')}</Empty>;
          const columns = data.some((p) => p.config.model) ? [t('providers.model')] : undefined;
          return <Lines columns={columns}>{data.map(itemOf)}</Lines>;
        }}
      </Read>
      {deleting && <DeleteProvider provider={deleting} onClose={() => setDeleting(null)} onDeleted={refresh} />}
    </div>
  );
}

interface DeleteProps {
  provider: Provider;
  onClose: () => void;
  onDeleted: () => Promise<void>;
}

function DeleteProvider({ provider, onClose, onDeleted }: DeleteProps) {
  const t = texts.use();
  const remove = async () => {
    await api.DELETE('/v1/providers/{provider_id}', {
      params: { path: { provider_id: provider.id }, header: { 'If-Match': `"${provider.version}"` } },
    });
    await onDeleted();
  };
  const title = t('providers.delete.of', { name: provider.name.slice(0, 80) });
  return (
    <Confirm title={title} yes={t('providers.delete')} danger onClose={onClose} act={remove}>
      <p>{t('providers.delete.text')}</p>
    </Confirm>
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
    <li data-provider={provider.id}>
      <Line
        icon={Cpu}
        name={
          <button type="button" onClick={onEdit}>
            <bdi>{visible(provider.name)}</bdi>
          </button>
        }
        meta={<span title={kind}>{kind}</span>}
        facts={[model && <bdi key="model">{visible(model)}</bdi>]}
        status={
          test.busy ? (
            <Status is="waits">{t('test.runs')}</Status>
          ) : (
            provider.is_default && <Status is="ok">{t('providers.default')}</Status>
          )
        }
      >
        <Menu label={tu('actions', { name: provider.name.slice(0, 100) })}>
          <button type="button" disabled={test.busy} onClick={() => void test.run()}>
            {t('test')}
          </button>
          <button type="button" onClick={onEdit}>
            {tu('edit')}
          </button>
          {!provider.is_default && (
            <button type="button" disabled={choose.busy} onClick={() => void choose.run()}>
              {t('providers.choose')}
            </button>
          )}
          <button type="button" onClick={onDelete}>
            {t('providers.delete')}
          </button>
        </Menu>
      </Line>
      {test.problem != null && <ProblemBox thrown={test.problem} />}
      {choose.problem != null && <ProblemBox thrown={choose.problem} />}
      {result && <TestResult result={result} />}
    </li>
  );
}
