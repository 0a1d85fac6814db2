import { useState } from 'react';
import { $api, api } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { useAction } from '../../../ui/action';
import { Dialog } from '../../../ui/Dialog';
import { Field } from '../../../ui/Field';
import { ProblemBox } from '../../../ui/Problem';
import { texts as ui } from '../../../ui/texts';
import type { Chat } from '../store/chat';
import { contentOf, draftOf, isEmpty, sameDraft } from '../store/drafts';
import { writtenText } from '../store/items';
import { again } from '../texts.again';
import { Differs } from './Differs';
import { Effects } from './Effects';
import { KeptFiles } from './KeptFiles';
import { effectsOf } from './useAgain';

/** Requests the last answer again: unchanged, from another model, or reworded. The changes that the round made are
 * shown before it is repeated. */
export function AgainDialog({ chat, onClose }: { chat: Chat; onClose: () => void }) {
  const t = again.use();
  const tu = ui.use();
  const providers = $api.useQuery('get', '/v1/providers', { params: { query: { limit: 200 } } });
  const question = chat.store.lastQuestion;
  const [asked] = useState(() =>
    draftOf(question?.rich_content?.segments ?? [], question ? writtenText(question) : ''),
  );
  const [provider, setProvider] = useState('');
  const [model, setModel] = useState('');
  const [words, setWords] = useState(asked);
  const reworded = !isEmpty(words) && !sameDraft(words, asked);
  const send = useAction(async (despite: boolean) => {
    try {
      const { data } = await api.POST('/v1/sessions/{session_id}/retry', {
        params: { path: { session_id: chat.id } },
        body: {
          ...(provider ? { provider_id: provider } : {}),
          ...(model.trim() ? { model: model.trim() } : {}),
          ...(reworded ? { message: contentOf(words) } : {}),
          ...(despite ? { despite_effects: true } : {}),
        },
      });
      chat.store.take(data!.session);
    } catch (thrown) {
      chat.recheck(thrown);
      throw thrown;
    }
    onClose();
  });
  const problem = send.problem == null ? null : asProblem(send.problem);
  const effects = send.problem == null ? null : effectsOf(send.problem);
  return (
    <Dialog title={t('again.title')} onClose={onClose}>
      <form
        className="stack"
        data-again=""
        onSubmit={(e) => {
          e.preventDefault();
          void send.run(effects !== null);
        }}
      >
        <p className="muted">{t('again.text')}</p>
        {question && (
          <Field label={t('again.words')}>
            <textarea rows={4} value={words.text} onChange={(e) => setWords({ ...words, text: e.target.value })} />
          </Field>
        )}
        <KeptFiles draft={words} onDraft={setWords} />
        <Field label={t('again.provider')}>
          <select value={provider} onChange={(e) => setProvider(e.target.value)}>
            <option value="">{t('again.same')}</option>
            {providers.data?.data.map((p) => (
              <option key={p.id} value={p.id}>
                {p.name}
              </option>
            ))}
          </select>
        </Field>
        <Field label={t('again.model')}>
          <input type="text" value={model} onChange={(e) => setModel(e.target.value)} />
        </Field>
        {!effects && (
          <Differs
            chat={chat}
            reworded={reworded}
            provider={providers.data?.data.find((p) => p.id === provider)?.name}
            model={model.trim()}
          />
        )}
        {effects && <Effects chat={chat} executions={effects} />}
        {problem && !effects && <ProblemBox thrown={problem} />}
        <div className="row">
          <button type="submit" className={effects ? 'danger' : 'primary'} disabled={send.busy}>
            {t(effects ? 'again.despite' : 'act.again')}
          </button>
          <button type="button" onClick={onClose}>
            {tu('cancel')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
