import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, api, body } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { useAction } from '../../../ui/action';
import { Dialog } from '../../../ui/Dialog';
import { Field } from '../../../ui/Field';
import { ProblemBox } from '../../../ui/Problem';
import { texts as ui } from '../../../ui/texts';
import type { Chat } from '../store/chat';
import type { Session } from '../store/sessionStore';
import { texts } from '../texts';

/** A chat's name, provider, and whether it needs approval for each change. */
export function ChatSettings({ chat, session, onClose }: { chat: Chat; session: Session; onClose: () => void }) {
  const t = texts.use();
  const tu = ui.use();
  const queries = useQueryClient();
  const providers = $api.useQuery('get', '/v1/providers', { params: { query: { limit: 200 } } });
  const [name, setName] = useState(session.name);
  const [provider, setProvider] = useState(session.provider_id ?? '');
  const [asks, setAsks] = useState(session.require_validation);
  const save = useAction(async () => {
    try {
      chat.store.take(
        await body(
          api.PATCH('/v1/sessions/{session_id}', {
            params: { path: { session_id: chat.id } },
            body: {
              name: name.trim(),
              require_validation: asks,
              ...(provider === (session.provider_id ?? '') ? {} : { provider_id: provider || null }),
            },
          }),
        ),
      );
    } catch (thrown) {
      chat.recheck(thrown);
      throw thrown;
    }
    void queries.invalidateQueries({ queryKey: ['get', '/v1/sessions'] });
    onClose();
  });
  const wrong = save.problem != null ? asProblem(save.problem).errors : [];
  const of = (pointer: string) => wrong.find((e) => e.pointer === pointer)?.message;
  return (
    <Dialog title={t('set.title')} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(e) => {
          e.preventDefault();
          void save.run();
        }}
      >
        <Field label={t('set.name')} wrong={of('/name')}>
          <input type="text" value={name} onChange={(e) => setName(e.target.value)} />
        </Field>
        <Field label={t('set.provider')} wrong={of('/provider_id')}>
          <select value={provider} onChange={(e) => setProvider(e.target.value)}>
            <option value="">{t('set.default')}</option>
            {provider && !(providers.data?.data ?? []).some((p) => p.id === provider) && (
              <option value={provider}>{t('set.unknown')}</option>
            )}
            {(providers.data?.data ?? []).map((p) => (
              <option key={p.id} value={p.id}>
                {p.name.slice(0, 80)}
              </option>
            ))}
          </select>
        </Field>
        <Field label={t('set.validation')} hint={t('set.validation.hint')} check>
          <input type="checkbox" checked={asks} onChange={(e) => setAsks(e.target.checked)} />
        </Field>
        {save.problem != null && <ProblemBox thrown={save.problem} />}
        <div className="row">
          <button type="submit" className="primary" disabled={save.busy}>
            {tu('save')}
          </button>
          <button type="button" onClick={onClose}>
            {tu('cancel')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
