import type { ReactElement } from 'react';
import { Field } from '../../../ui/Field';
import css from '../connectors.module.css';
import { methods, type CommandDraft, type CommandFieldsProps } from './commandDraft';
import { texts } from './texts';

/** The request of a command: its method and path, or the path and timeouts of long work. */
export function RequestFields({ kind, draft, set, wrong }: CommandFieldsProps) {
  const t = texts.use();
  const long = kind === 'long_running';
  return (
    <>
      <div className={css.pair}>
        {!long && (
          <Field label={t('command.method')} wrong={wrong('/request/method')}>
            <select value={draft.method} onChange={(e) => set({ method: e.target.value })}>
              {methods.map((method) => (
                <option key={method} value={method}>
                  {method}
                </option>
              ))}
            </select>
          </Field>
        )}
        <Field
          label={t('command.path')}
          hint={t(long ? 'command.path.long' : 'command.path.hint')}
          wrong={wrong('/request/path')}
          required={!long}
        >
          {line(draft, set, 'path')}
        </Field>
      </div>
      {long && (
        <>
          <Field label={t('command.deadline')} hint={t('command.deadline.hint')} wrong={wrong('/deadline')}>
            {line(draft, set, 'deadline')}
          </Field>
          <Field label={t('command.cancel')} hint={t('command.cancel.hint')} wrong={wrong('/cancel_path')}>
            {line(draft, set, 'cancelPath')}
          </Field>
          <Field label={t('command.documents')} hint={t('command.documents.hint')} wrong={wrong('/documents')}>
            {line(draft, set, 'documents')}
          </Field>
        </>
      )}
    </>
  );
}

/** Rarely used fields. */
export function RequestMore({ kind, draft, set, wrong, said }: CommandFieldsProps) {
  const t = texts.use();
  return (
    <details>
      <summary>{t('more')}</summary>
      <div className="stack">
        <Field label={t('command.title')} wrong={wrong('/title')}>
          {line(draft, set, 'title')}
        </Field>
        {kind !== 'long_running' && (
          <>
            <Field
              label={t('command.parts')}
              hint={t('command.parts.hint')}
              wrong={said('parts') ?? wrong('/request/query') ?? wrong('/request/body') ?? wrong('/request/headers')}
            >
              {area(draft, set, 'parts')}
            </Field>
            <Field label={t('command.result')} hint={t('command.result.hint')} wrong={wrong('/result')}>
              {line(draft, set, 'result')}
            </Field>
            <Field label={t('command.probe')} hint={t('command.probe.hint')} wrong={wrong('/probe')}>
              {line(draft, set, 'probePath')}
            </Field>
            {draft.probePath && (
              <Field label={t('command.expect')} wrong={said('expect')}>
                {area(draft, set, 'expect')}
              </Field>
            )}
          </>
        )}
      </div>
    </details>
  );
}

type Text = 'path' | 'deadline' | 'cancelPath' | 'documents' | 'title' | 'result' | 'probePath';

// Elements rather than components: Field gives the control its id.
const line = (draft: CommandDraft, set: CommandFieldsProps['set'], name: Text): ReactElement<{ id?: string }> => (
  <input
    value={draft[name]}
    maxLength={1000}
    autoComplete="off"
    spellCheck={false}
    onChange={(e) => set({ [name]: e.target.value })}
  />
);

const area = (
  draft: CommandDraft,
  set: CommandFieldsProps['set'],
  name: 'parts' | 'expect',
): ReactElement<{ id?: string }> => (
  <textarea
    rows={4}
    className="mono"
    spellCheck={false}
    value={draft[name]}
    onChange={(e) => set({ [name]: e.target.value })}
  />
);
