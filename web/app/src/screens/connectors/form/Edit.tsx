import { useState } from 'react';
import { api, body, type Schemas } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { useAction } from '../../../ui/action';
import { ProblemBox } from '../../../ui/Problem';
import { texts as uiTexts } from '../../../ui/texts';
import type { Connector } from '../connector';
import { useConnectorsFresh } from '../fresh';
import { Tested } from '../Tested';
import { ConfigFields, Naming } from './ConfigFields';
import { configPatch, draftOf, toEnterAgain, type Config } from './draft';
import { texts } from './texts';

/** Changes the address and credentials of a connector, and tests it at once. */
export function EditConnector({ of, onClose }: { of: Connector; onClose: () => void }) {
  const t = texts.use();
  const tu = uiTexts.use();
  const fresh = useConnectorsFresh();
  const [saved, setSaved] = useState(of);
  const [first, setFirst] = useState(() => draftOf(of.kind, of.name, of.prefix, of.config as Config));
  const [draft, setDraft] = useState(first);
  const [result, setResult] = useState<Schemas['ConnectorTest'] | null>(null);
  const again = toEnterAgain(first, draft);
  const path = { path: { connector_id: of.id } };
  const save = useAction(async () => {
    setResult(null);
    const patch = configPatch(of.kind, saved.config as Config, draft);
    const now = await body(
      api.PATCH('/v1/connectors/{connector_id}', {
        params: { ...path, header: { 'If-Match': `"${saved.version}"` } },
        body: {
          name: draft.name.trim() || saved.name,
          prefix: draft.prefix,
          ...(Object.keys(patch).length ? { config: patch } : {}),
        },
      }),
    );
    const next = draftOf(now.kind, now.name, now.prefix, now.config as Config);
    setSaved(now);
    setFirst(next);
    setDraft(next);
    if (now.enabled) setResult(await body(api.POST('/v1/connectors/{connector_id}/test', { params: path })));
    await fresh();
  });
  const errors = save.problem == null ? [] : asProblem(save.problem).errors;
  const wrong = (pointer: string) => errors.find((e) => e.pointer === pointer)?.message;
  const fields = {
    kind: of.kind,
    draft,
    set: (part: Partial<typeof draft>) => setDraft((now) => ({ ...now, ...part })),
    wrong,
    again,
    stored: true,
  };
  return (
    <form
      className="stack"
      noValidate
      aria-label={of.name}
      onSubmit={(e) => {
        e.preventDefault();
        if (!again.length) void save.run();
      }}
    >
      <h3 className="clamp">
        <bdi>{of.name}</bdi>
      </h3>
      <Naming {...fields} />
      <ConfigFields {...fields} />
      {save.problem != null && <ProblemBox thrown={save.problem} />}
      {result && <Tested result={result} />}
      <p className="row">
        <button type="submit" className="primary" disabled={save.busy || again.length > 0}>
          {t(save.busy ? 'save.runs' : 'save.test')}
        </button>
        <button type="button" onClick={onClose}>
          {tu(result ? 'close' : 'cancel')}
        </button>
      </p>
    </form>
  );
}
