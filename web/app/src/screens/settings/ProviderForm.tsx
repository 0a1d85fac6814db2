import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, body, versioned, type Schemas } from '../../api/client';
import { asProblem, type FieldError } from '../../api/problem';
import { announce } from '../../shell/announce';
import { useAction } from '../../ui/action';
import { Field } from '../../ui/Field';
import { ProblemBox } from '../../ui/Problem';
import { checkSchema, SchemaForm, type Schema } from '../../ui/SchemaForm';
import { texts as uiTexts } from '../../ui/texts';
import { visible } from '../../ui/visible';
import { configPatch, splitSchema, part, shown, testErrors } from './config';
import { Models } from './Models';
import { TestResult, type Test } from './TestResult';
import { texts } from './texts';

export type Provider = Schemas['Provider'];
type Config = Record<string, unknown>;
interface Props {
  kinds: Schemas['ProviderKind'][];
  provider: Provider | null;
  onSaved: () => Promise<void>;
  onClose: () => void;
}

/** Adds or edits a provider and tests it at once: a wrong key is reported at its field. */
export function ProviderForm({ kinds, provider, onSaved, onClose }: Props) {
  const t = texts.use();
  const tu = uiTexts.use();
  const offered = kinds.filter((k) => k.name !== 'script' || provider?.kind === 'script');
  const [saved, setSaved] = useState(provider);
  const [name, setName] = useState(provider?.name ?? '');
  const [kind, setKind] = useState(provider?.kind ?? offered[0]?.name ?? '');
  const [config, setConfig] = useState<Config>(() => shown(provider?.config ?? {}));
  const [tries, setTries] = useState(0);
  const [test, setTest] = useState<Test | null>(null);
  const chosen = kinds.find((k) => k.name === kind);
  const schema = (chosen?.config_schema ?? { type: 'object' }) as Schema;
  const kept = typeof saved?.config.api_key === 'string' ? saved.config.api_key : undefined;
  const { main, more } = splitSchema(schema, kept, t('key.kept', { mask: kept ?? '' }));
  const save = useAction(async () => {
    setTest(null);
    const stored = saved
      ? await change(saved, name, config)
      : await body(
          api.POST('/v1/providers', { body: { name: name.trim() || (chosen?.display_name ?? kind), kind, config } }),
        );
    setSaved(stored);
    setName(stored.name);
    setConfig(shown(stored.config));
    await onSaved();
    const result = await body(
      api.POST('/v1/providers/{provider_id}/test', { params: { path: { provider_id: stored.id } } }),
    );
    if (result.ok && provider === null && (await becomesDefault(stored))) {
      setSaved(await readProvider(stored.id));
      await onSaved();
    }
    setTest(result);
    setTries((n) => n + 1);
    announce(t(result.ok ? 'provider.works' : 'provider.fails'));
  });
  const again = async () => {
    setSaved(await readProvider(saved!.id));
    save.clear();
  };
  const problem = save.problem == null ? null : asProblem(save.problem);
  const errors: FieldError[] = [...(problem?.errors ?? []), ...testErrors(test?.error ?? null, schema)];
  const submit = () => {
    // A key or variable may be missing for good reasons; one that is entered must be valid.
    if (checkSchema(schema, config).length) setTries((n) => n + 1);
    else void save.run();
  };
  const form = (half: Schema) => (
    <SchemaForm
      schema={half}
      value={part(config, half)}
      errors={errors}
      at="/config"
      tries={tries}
      onChange={(value) => {
        setTest(null);
        setConfig((now) => ({
          ...Object.fromEntries(Object.entries(now).filter(([n]) => !Object.hasOwn(half.properties ?? {}, n))),
          ...(value as Config),
        }));
      }}
    />
  );
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(e) => {
        e.preventDefault();
        submit();
      }}
    >
      <h3>{saved ? t('provider.edit', { name: saved.name.slice(0, 80) }) : t('providers.add')}</h3>
      <Field label={t('provider.kind')} wrong={errors.find((e) => e.pointer === '/kind')?.message}>
        <select
          value={kind}
          disabled={saved !== null}
          onChange={(e) => {
            setKind(e.target.value);
            setConfig({});
            setTries(0);
          }}
        >
          {offered.map((k) => (
            <option key={k.name} value={k.name}>
              {k.display_name}
            </option>
          ))}
        </select>
      </Field>
      <Field
        label={t('provider.name')}
        hint={t('provider.name.hint')}
        wrong={errors.find((e) => e.pointer === '/name')?.message}
      >
        <input value={name} maxLength={200} autoComplete="off" onChange={(e) => setName(e.target.value)} />
      </Field>
      {form(main)}
      {Object.keys(more.properties ?? {}).length > 0 && (
        <details className="card">
          <summary>{t('provider.more')}</summary>
          <div className="stack">{form(more)}</div>
        </details>
      )}
      {problem &&
        (problem.errors.length ? (
          <p className="box bad" role="alert">
            {t('provider.fix')}
          </p>
        ) : (
          <ProblemBox thrown={problem} />
        ))}
      {problem?.status === 412 && (
        <p className="row">
          <button type="button" onClick={() => void again()}>
            {t('again')}
          </button>
          <span className="muted small">{t('again.text')}</span>
        </p>
      )}
      {test && <TestResult result={test} atField={testErrors(test.error ?? null, schema).length > 0} />}
      {test?.ok && saved && <Used by={saved} model={test.model ?? ''} onChosen={setSaved} />}
      {saved && (
        <Models
          key={`${saved.id} ${saved.version}`}
          provider={saved.id}
          model={typeof config.model === 'string' ? config.model : ''}
          onChoose={(model) => setConfig((now) => ({ ...now, model }))}
        />
      )}
      <div className="row">
        <button type="submit" className="primary" disabled={save.busy}>
          {t(save.busy ? 'test.runs' : 'provider.save')}
        </button>
        <button type="button" onClick={onClose}>
          {saved ? tu('close') : tu('cancel')}
        </button>
      </div>
    </form>
  );
}

const readProvider = async (id: string): Promise<Provider> =>
  (await versioned(api.GET('/v1/providers/{provider_id}', { params: { path: { provider_id: id } } }))).value;

const makeDefault = ({ id, version }: Provider) =>
  body(
    api.PATCH('/v1/providers/{provider_id}', {
      params: { path: { provider_id: id }, header: { 'If-Match': `"${version}"` } },
      body: { is_default: true },
    }),
  );

/** Makes a new provider the default if there was only the demo before. */
async function becomesDefault(made: Provider): Promise<boolean> {
  if (made.kind === 'demo' || made.is_default) return false;
  const { data } = await body(api.GET('/v1/providers', { params: { query: { limit: 200 } } }));
  if (data.some((p) => p.id !== made.id && p.kind !== 'demo')) return false;
  await makeDefault(made);
  return true;
}

/** After a successful test: the provider that answers new chats, and a link to start one. */
function Used({ by, model, onChosen }: { by: Provider; model: string; onChosen: (provider: Provider) => void }) {
  const t = texts.use();
  const queries = useQueryClient();
  const choose = useAction(async () => {
    await makeDefault(by);
    onChosen(await readProvider(by.id));
    await queries.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[1]).startsWith('/v1/providers') });
  });
  return (
    <div className="box row" data-used={by.is_default ? 'default' : 'other'}>
      {by.is_default ? (
        <>
          <span>{t('provider.used', { model: visible(model || by.name) })}</span>
          <Link href="/chat" className="button small">
            {t('provider.start')}
          </Link>
        </>
      ) : (
        <>
          <span>{t('provider.unused')}</span>
          <button type="button" className="small" data-own disabled={choose.busy} onClick={() => void choose.run()}>
            {t('provider.use')}
          </button>
        </>
      )}
      {choose.problem != null && <ProblemBox thrown={choose.problem} onClose={choose.clear} />}
    </div>
  );
}

async function change(saved: Provider, name: string, config: Config): Promise<Provider> {
  return body(
    api.PATCH('/v1/providers/{provider_id}', {
      params: { path: { provider_id: saved.id }, header: { 'If-Match': `"${saved.version}"` } },
      body: { name: name.trim() || saved.name, config: configPatch(saved.config, config) },
    }),
  );
}
