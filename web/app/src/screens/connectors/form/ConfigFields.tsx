import type { ReactNode } from 'react';
import { Field } from '../../../ui/Field';
import css from '../connectors.module.css';
import { prefixOf, type Draft, type Kind, type Secret } from './draft';
import { SecretField, Secrets } from './Secrets';
import { texts } from './texts';

export interface ConfigProps {
  kind: Kind;
  draft: Draft;
  set: (part: Partial<Draft>) => void;
  /** The error at a pointer. */
  wrong: (pointer: string) => string | undefined;
  again: readonly Secret[];
  /** It is stored: its prefix is no longer derived from its name. */
  stored?: boolean;
}

/** Name and prefix. */
export const Naming = (props: ConfigProps) => (
  <>
    <NameField {...props} />
    <PrefixField {...props} />
  </>
);

/** Its name. Until it is stored, the prefix is derived from it. */
export function NameField({ draft, set, wrong, stored, ...given }: ConfigProps) {
  const t = texts.use();
  const rename = (name: string) =>
    set({ name, ...(!stored && draft.prefix === prefixOf(draft.name) ? { prefix: prefixOf(name) } : {}) });
  // An invalid prefix is reported here too, while its own field is collapsed.
  const error = wrong('/name') ?? (given.kind === 'mcp' && !stored ? wrong('/prefix') : undefined);
  return (
    <Field label={t('name')} wrong={error} required>
      <input
        dir="auto"
        value={draft.name}
        maxLength={200}
        autoComplete="off"
        onChange={(e) => rename(e.target.value)}
      />
    </Field>
  );
}

export function PrefixField({ draft, set, wrong }: ConfigProps) {
  const t = texts.use();
  return (
    <Field
      label={t('prefix')}
      hint={t('prefix.hint', { prefix: draft.prefix || 'SHOP' })}
      wrong={wrong('/prefix')}
      required
    >
      <input
        value={draft.prefix}
        maxLength={20}
        autoComplete="off"
        spellCheck={false}
        onChange={(e) => set({ prefix: e.target.value.toUpperCase().replace(/[^A-Z0-9]/g, '') })}
      />
    </Field>
  );
}

/** The server's address and credentials, for each kind. */
export function ConfigFields(props: ConfigProps) {
  const t = texts.use();
  const { kind, draft, set, wrong, again } = props;
  if (kind === 'mcp') return <Mcp {...props} />;
  return (
    <>
      <Field label={t('base_url')} hint={t('base_url.hint')} wrong={wrong('/config/base_url')} required>
        <Address draft={draft} set={set} />
      </Field>
      <Secrets what="headers" list={draft.headers} set={(headers) => set({ headers })} wrong={wrong} again={again} />
      {kind === 'long_running' && (
        <SecretField
          label={t('signing')}
          hint={t('signing.made')}
          of={draft.signing}
          set={(signing) => set({ signing })}
          wrong={wrong('/config/signing_secret')}
          again={again.includes(draft.signing)}
        />
      )}
      {kind === 'http' && (
        <details>
          <summary>{t('more')}</summary>
          <Field label={t('most')} hint={t('most.hint')} wrong={wrong('/config/max_result_bytes')}>
            <input
              type="number"
              className={css.short}
              min={1024}
              max={4_194_304}
              value={draft.most}
              onChange={(e) => set({ most: e.target.value })}
            />
          </Field>
        </details>
      )}
    </>
  );
}

// Field provides the rest: an id and a description.
function Address({ draft, set, ...given }: Pick<ConfigProps, 'draft' | 'set'>) {
  return (
    <input
      type="url"
      {...given}
      value={draft.address}
      maxLength={2000}
      autoComplete="off"
      onChange={(e) => set({ address: e.target.value })}
    />
  );
}

function Mcp(props: ConfigProps) {
  const t = texts.use();
  const { draft, set, wrong } = props;
  return (
    <>
      <fieldset className="stack tight">
        <legend className="small">
          <strong>{t('how')}</strong>
        </legend>
        <div className={css.choices}>
          <Choice on={!draft.program} choose={() => set({ program: false })} name="mcp-how">
            {t('how.address')}
          </Choice>
          <Choice on={draft.program} choose={() => set({ program: true })} name="mcp-how">
            {t('how.program')}
            <span className="small muted"> {t('how.program.hint')}</span>
          </Choice>
        </div>
      </fieldset>
      {draft.program ? <Program {...props} /> : <Server {...props} />}
      {wrong('/config') && <p className="wrong">{wrong('/config')}</p>}
      {props.stored && <ReadsOffered draft={draft} set={set} />}
    </>
  );
}

/** Whether read-only commands are enabled without review. */
export function ReadsOffered({ draft, set }: Pick<ConfigProps, 'draft' | 'set'>) {
  const t = texts.use();
  return (
    <Field label={t('read.offered')} hint={t('read.offered.hint')} check>
      <input
        type="checkbox"
        checked={draft.readOnlyOffered}
        onChange={(e) => set({ readOnlyOffered: e.target.checked })}
      />
    </Field>
  );
}

interface ChoiceProps {
  on: boolean;
  choose: () => void;
  name: string;
  children: ReactNode;
}

export function Choice({ on, choose, name, children }: ChoiceProps) {
  return (
    <label>
      <input type="radio" name={name} checked={on} onChange={choose} />
      <span>{children}</span>
    </label>
  );
}

function Server({ draft, set, wrong, again }: ConfigProps) {
  const t = texts.use();
  const ways = [...new Set(['none', 'bearer', 'oauth', draft.auth])];
  return (
    <>
      <Field label={t('url')} hint={t('url.hint')} wrong={wrong('/config/url')} required>
        <Address draft={draft} set={set} />
      </Field>
      <Field label={t('auth')} wrong={wrong('/config/auth')}>
        <select value={draft.auth} onChange={(e) => set({ auth: e.target.value })}>
          {ways.map((way) => (
            <option key={way} value={way}>
              {t.has(`auth.${way}`) ? t(`auth.${way}` as 'auth.none') : way}
            </option>
          ))}
        </select>
      </Field>
      {draft.auth === 'bearer' && (
        <SecretField
          label={t('token')}
          of={draft.token}
          set={(token) => set({ token })}
          wrong={wrong('/config/token')}
          again={again.includes(draft.token)}
        />
      )}
      {draft.auth === 'oauth' && <Client draft={draft} set={set} wrong={wrong} again={again} />}
      <Secrets what="headers" list={draft.headers} set={(headers) => set({ headers })} wrong={wrong} again={again} />
    </>
  );
}

/** The client registration for a server without dynamic registration. */
function Client({ draft, set, wrong, again }: Omit<ConfigProps, 'kind'>) {
  const t = texts.use();
  return (
    <details open={draft.client !== ''}>
      <summary>{t('client')}</summary>
      <div className="stack">
        <Field label={t('client.id')} hint={t('client.hint')} wrong={wrong('/config/client_id')}>
          <input
            value={draft.client}
            maxLength={2000}
            autoComplete="off"
            spellCheck={false}
            onChange={(e) => set({ client: e.target.value })}
          />
        </Field>
        <SecretField
          label={t('client.secret')}
          of={draft.clientSecret}
          set={(clientSecret) => set({ clientSecret })}
          wrong={wrong('/config/client_secret')}
          again={again.includes(draft.clientSecret)}
        />
      </div>
    </details>
  );
}

function Program({ draft, set, wrong, again }: ConfigProps) {
  const t = texts.use();
  return (
    <>
      <Field label={t('command')} wrong={wrong('/config/command')} required>
        <input
          value={draft.command}
          maxLength={1000}
          autoComplete="off"
          spellCheck={false}
          onChange={(e) => set({ command: e.target.value })}
        />
      </Field>
      <Field label={t('args')} hint={t('args.hint')} wrong={wrong('/config/args')}>
        <textarea
          rows={3}
          className="mono"
          spellCheck={false}
          value={draft.args}
          onChange={(e) => set({ args: e.target.value })}
        />
      </Field>
      <Secrets what="env" list={draft.env} set={(env) => set({ env })} wrong={wrong} again={again} />
    </>
  );
}
