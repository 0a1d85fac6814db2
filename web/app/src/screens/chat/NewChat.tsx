import { useQueryClient } from '@tanstack/react-query';
import { useRef, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { $api, api, body, newKey } from '../../api/client';
import { useAction } from '../../ui/action';
import { ProblemBox } from '../../ui/Problem';
import css from './chat.module.css';
import { Composer } from './compose/Composer';
import compose from './compose/compose.module.css';
import { useDraft } from './compose/useDraft';
import { emptyDraft, keepDraft, tokenOf, type Draft } from './store/drafts';
import { keepParcel } from './store/outbox';
import { texts } from './texts';
import { words } from './texts.compose';
import { cutAtWord } from './store/cut';
import { useField } from './useField';
import { useTabTitle } from './useTabTitle';

/** A chat that is not there yet: it is made when its first message is sent. */
export function NewChat({ toggle }: { toggle: ReactNode }) {
  const t = texts.use();
  const tw = words.use();
  const { draft, set } = useDraft(undefined);
  const begin = useBegin(set);
  useTabTitle(t('new'));
  useField();
  return (
    <>
      <div className={css.welcome}>
        <div className="row">{toggle}</div>
        <div className="stack">
          <h1 tabIndex={-1} id="page-title">
            {t('welcome.title')}
          </h1>
          <p className="muted">{t('welcome.text')}</p>
          <Demo
            onTry={(text) => {
              set({ text, references: [] });
              document.getElementById('message')?.focus();
            }}
          />
        </div>
      </div>
      <div className={compose.dock}>
        <div className={`muted ${compose.phase}`} role="status">
          {begin.busy && tw('out.sending')}
        </div>
        {begin.problem != null && <ProblemBox thrown={begin.problem} onClose={begin.clear} />}
        <Composer draft={draft} onDraft={set} mode="free" onSend={(said) => void begin.run(said)} />
      </div>
    </>
  );
}

/** Makes the chat, gives it its first message to send, and goes there. After a reply that
 * was lost the same text makes no second chat: its key stays until it worked. */
function useBegin(set: (draft: Draft) => void) {
  const [, go] = useLocation();
  const queries = useQueryClient();
  const pending = useRef({ text: '', key: '' });
  return useAction(async (draft: Draft) => {
    if (!pending.current.key || pending.current.text !== draft.text)
      pending.current = { text: draft.text, key: newKey() };
    try {
      const plain = draft.references.reduce((text, r) => text.replace(tokenOf(r.label), r.label), draft.text.trim());
      const session = await body(
        api.POST('/v1/sessions', {
          params: { header: { 'Idempotency-Key': pending.current.key } },
          body: {
            type: 'CHAT',
            require_validation: false,
            name: cutAtWord((plain || draft.files?.[0]?.name || '').split('\n')[0]!, 60),
          },
        }),
      );
      keepParcel(session.id, draft);
      keepDraft(undefined, emptyDraft);
      void queries.invalidateQueries({ queryKey: ['get', '/v1/sessions'] });
      go(`/chat/${session.id}`, { replace: true });
    } catch (thrown) {
      set(draft); // nothing that was written is lost
      throw thrown;
    }
  });
}

/** Where the demo answers it says so, and what it understands. */
function Demo({ onTry }: { onTry: (text: string) => void }) {
  const t = texts.use();
  const providers = $api.useQuery('get', '/v1/providers', { params: { query: { limit: 200 } } });
  const used = providers.data?.data.find((p) => p.is_default);
  if (!providers.data || (used && used.kind !== 'demo')) return null;
  const others = providers.data.data.some((p) => p.kind !== 'demo');
  return (
    <div className="stack tight">
      <p className="muted">
        {t('welcome.demo')} <Link href="/settings/providers">{t(others ? 'welcome.other' : 'welcome.provider')}</Link>
      </p>
      <p className="row">
        <span className="muted small">{t('welcome.try')}</span>
        {(['welcome.help', 'welcome.what', 'welcome.zone'] as const).map((k) => (
          <button key={k} type="button" className="chip" onClick={() => onTry(t(k))}>
            {t(k)}
          </button>
        ))}
      </p>
    </div>
  );
}
