import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api, body } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { useAction } from '../../../ui/action';
import { ProblemBox } from '../../../ui/Problem';
import { texts as uiTexts } from '../../../ui/texts';
import type { Connector } from '../connector';
import { useConnectorsFresh } from '../fresh';
import { ConfigFields, NameField, Naming, PrefixField, ReadsOffered, type ConfigProps } from './ConfigFields';
import { Paste } from './Paste';
import { configOf, draftOf, type Kind } from './draft';
import { Secret } from './Secret';
import { texts } from './texts';
import type { Written } from './written';

interface FormProps {
  kind: Kind;
  /** The values from an API description. */
  proposed?: { name: string; prefix: string; config: Record<string, unknown> };
  /** The picked commands; undefined if the kind has none. */
  commands?: Written[];
}

/** The form of a new connector. Its page opens once it is stored. */
export function NewForm({ kind, proposed, commands }: FormProps) {
  const t = texts.use();
  const tu = uiTexts.use();
  const fresh = useConnectorsFresh();
  const [, go] = useLocation();
  const [draft, setDraft] = useState(() =>
    draftOf(kind, proposed?.name ?? '', proposed?.prefix ?? '', proposed?.config ?? {}),
  );
  const [secret, setSecret] = useState<Connector | null>(null);
  const make = useAction(async () => {
    const { name, prefix } = draft;
    const made = await body(
      api.POST('/v1/connectors', {
        body: { name: name.trim(), prefix, kind, config: configOf(kind, draft), ...(commands ? { commands } : {}) },
      }),
    );
    const path = { params: { path: { connector_id: made.id } } };
    // It is stored: its page shows the result of the first check.
    if (kind === 'mcp') await api.POST('/v1/connectors/{connector_id}/refresh', path).catch(() => {});
    await fresh();
    if (kind === 'long_running' && !draft.signing.value) setSecret(made);
    else go(`/settings/connectors/${made.id}`);
  });
  const errors = make.problem == null ? [] : asProblem(make.problem).errors;
  const none = commands?.length === 0;
  const named = draft.name.trim() !== '' && draft.prefix !== '';
  const placed = kind !== 'mcp' || (draft.program ? draft.command : draft.address).trim() !== '';
  const fields = {
    kind,
    draft,
    set: (part: Partial<typeof draft>) => setDraft((now) => ({ ...now, ...part })),
    wrong: (pointer: string) => errors.find((e) => e.pointer === pointer)?.message,
    again: [],
  };
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(e) => {
        e.preventDefault();
        void make.run();
      }}
    >
      {kind === 'mcp' ? (
        <NewMcp {...fields} />
      ) : (
        <>
          <Naming {...fields} />
          <ConfigFields {...fields} />
        </>
      )}
      {make.problem != null && <ProblemBox thrown={make.problem} />}
      {none && <p className="muted small">{t('made.none')}</p>}
      <p className="row">
        <button type="submit" className="primary" disabled={make.busy || none || !named || !placed}>
          {t(kind === 'mcp' ? (make.busy ? 'connect.runs' : 'connect') : make.busy ? 'save.runs' : 'save')}
        </button>
        <Link href="/settings/connectors" className="button">
          {tu('cancel')}
        </Link>
      </p>
      {secret && <Secret of={secret} onClose={() => go(`/settings/connectors/${secret.id}`)} />}
    </form>
  );
}

/** A quick form for an MCP server: the text from its documentation, and a name. The rest has sensible defaults. */
function NewMcp(fields: ConfigProps) {
  const t = texts.use();
  const { draft, set, wrong } = fields;
  const place = draft.program ? '/config/command' : '/config/url';
  return (
    <>
      <Paste draft={draft} set={set} wrong={wrong(place) ?? wrong('/config')} />
      <NameField {...fields} />
      <ReadsOffered draft={draft} set={set} />
      <details>
        <summary>{t('more.mcp')}</summary>
        <div className="stack">
          <PrefixField {...fields} />
          <ConfigFields {...fields} />
        </div>
      </details>
    </>
  );
}
