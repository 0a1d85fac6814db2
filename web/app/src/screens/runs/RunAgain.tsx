import { useState } from 'react';
import { $api, api, body, type Schemas } from '../../api/client';
import { useMay } from '../../api/me';
import { asProblem } from '../../api/problem';
import { announce } from '../../shell/announce';
import { useAction } from '../../ui/action';
import { Dialog } from '../../ui/Dialog';
import { Field } from '../../ui/Field';
import { ProblemBox } from '../../ui/Problem';
import { Read } from '../../ui/Read';
import { texts as uiTexts } from '../../ui/texts';
import { isEmpty, partsOf, segmentsOf } from '../automations/draft/requestParts';
import { Request } from '../automations/form/Request';
import { Different } from './Different';
import { texts } from './texts';
import { useThenAndNow, type ThenAndNow } from './thenAndNow';

type Run = Schemas['AutomationRun'];

/** Repeats a run: shows its request, which can be edited for this run only, and what will differ. */
export function RunAgain({ run, onClose }: { run: Run; onClose: () => void }) {
  const t = texts.use();
  const query = useThenAndNow(run);
  const gone = query.error !== null && asProblem(query.error).status === 404;
  return (
    <Dialog title={t('again.title')} onClose={onClose}>
      {gone ? (
        <p className="box warn">{t('again.gone')}</p>
      ) : (
        <Read query={query}>{(known) => <Ask run={run} known={known} onClose={onClose} />}</Read>
      )}
    </Dialog>
  );
}

function Ask({ run, known, onClose }: { run: Run; known: ThenAndNow; onClose: () => void }) {
  const t = texts.use();
  const ui = uiTexts.use();
  const admin = useMay('admin');
  const [parts, setParts] = useState(() => partsOf(admin ? known.before : known.seed.segments));
  const [provider, setProvider] = useState(known.automation.provider_id ?? '');
  const [model, setModel] = useState('');
  const request = segmentsOf(parts);
  const today = segmentsOf(partsOf(known.seed.segments));
  const same = JSON.stringify(request) === JSON.stringify(today);
  const start = useAction(async () => {
    const { result, position } = await body(
      api.POST('/v1/automations/{automation_id}/execute', {
        params: { path: { automation_id: run.automation_id } },
        body: {
          ...(same ? {} : { message: request }),
          ...(provider && provider !== known.automation.provider_id ? { provider_id: provider } : {}),
          ...(model.trim() ? { model: model.trim() } : {}),
        },
      }),
    );
    announce(result === 'QUEUED' ? t('again.queued', { n: position ?? 1 }) : t('again.started'));
  });
  const problem = start.problem == null ? null : asProblem(start.problem);
  // Errors refer to the message; the form calls it the seed.
  const errors = (problem?.errors ?? []).map((e) => ({ ...e, pointer: e.pointer.replace(/^\/message/, '/seed') }));
  return (
    <form
      className="stack"
      data-again
      onSubmit={async (e) => {
        e.preventDefault();
        if (await start.run()) onClose();
      }}
    >
      {admin ? (
        <>
          <Request parts={parts} onChange={setParts} errors={errors} empty={false} />
          {!same && (
            <p>
              <button type="button" className="link small" onClick={() => setParts(partsOf(known.seed.segments))}>
                {t('again.today')}
              </button>
            </p>
          )}
        </>
      ) : (
        <div className="stack tight">
          <h3>{t('seed')}</h3>
          <p className="preserve">{known.seed.linear_text}</p>
          <p className="small muted">{t('again.admins')}</p>
        </div>
      )}
      <Model
        provider={provider}
        onProvider={(id) => {
          setProvider(id);
          setModel('');
        }}
        model={model}
        onModel={setModel}
      />
      <Different run={run} known={known} request={request} provider={provider} model={model.trim()} />
      {problem && <ProblemBox thrown={problem} />}
      <div className="row">
        <button type="submit" className="primary" disabled={start.busy || isEmpty(parts)}>
          {t('again')}
        </button>
        <button type="button" onClick={onClose}>
          {ui('cancel')}
        </button>
      </div>
    </form>
  );
}

interface ModelProps {
  provider: string;
  onProvider: (id: string) => void;
  model: string;
  onModel: (model: string) => void;
}

/** The provider and model for this run only. */
function Model({ provider, onProvider, model, onModel }: ModelProps) {
  const t = texts.use();
  const providers = $api.useQuery('get', '/v1/providers', { params: { query: { limit: 200 } } }).data?.data ?? [];
  const used = providers.find((p) => (provider ? p.id === provider : p.is_default));
  const models = $api.useQuery(
    'get',
    '/v1/providers/{provider_id}/models',
    { params: { path: { provider_id: used?.id ?? '' } } },
    { enabled: used !== undefined, retry: false, staleTime: 60_000 },
  );
  const configured = typeof used?.config.model === 'string' ? used.config.model : '';
  return (
    <div className="row">
      <Field label={t('again.provider')}>
        <select value={provider} onChange={(e) => onProvider(e.target.value)}>
          <option value="">{t('again.default')}</option>
          {provider && !providers.some((p) => p.id === provider) && <option value={provider}>{t('again.lost')}</option>}
          {providers.map((p) => (
            <option key={p.id} value={p.id}>
              {p.name.slice(0, 80)}
            </option>
          ))}
        </select>
      </Field>
      {used && (
        <Field label={t('again.model')}>
          <input
            list="again-models"
            autoComplete="off"
            maxLength={200}
            placeholder={configured}
            value={model}
            onChange={(e) => onModel(e.target.value)}
          />
        </Field>
      )}
      <datalist id="again-models">
        {models.data?.data.map((m) => (
          <option key={m.id} value={m.id}>
            {m.id}
          </option>
        ))}
      </datalist>
    </div>
  );
}
