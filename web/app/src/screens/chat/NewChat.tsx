import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { $api } from '../../api/client';
import css from './chat.module.css';
import { Composer } from './compose/Composer';
import compose from './compose/compose.module.css';
import { useDraft } from './compose/useDraft';
import head from './head/head.module.css';
import { OutgoingView } from './record/Outgoing';
import record from './record/record.module.css';
import { Beginning, nameAfter } from './store/beginning';
import { joinDrafts, type Draft } from './store/drafts';
import type { Outgoing } from './store/outbox';
import { texts } from './texts';
import { useField } from './useField';
import { useTabTitle } from './useTabTitle';

/** A new chat: it is created when its first message is sent. */
export function NewChat({ toggle }: { toggle: ReactNode }) {
  const t = texts.use();
  const { draft, set } = useDraft(undefined);
  const { beginning, items } = useBeginning();
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
  });
  useTabTitle(t('new'));
  useField();
  const back = (text: Draft) => {
    set(joinDrafts(text, latest.current));
    document.getElementById('message')?.focus();
  };
  return (
    <>
      {items.length > 0 ? (
        <>
          <header className={head.head}>
            <div className={head.title}>
              {toggle}
              <h1 tabIndex={-1} id="page-title" className={head.name}>
                {nameAfter(items[0]!.draft) || t('new')}
              </h1>
            </div>
          </header>
          <div className={record.frame}>
            <section className={record.scroller} aria-label={t('record')} data-begun>
              <div className={record.begun}>
                {items.map((item) => (
                  <OutgoingView key={item.key} outbox={beginning.outbox} of={item} onBack={back} />
                ))}
              </div>
            </section>
          </div>
        </>
      ) : (
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
      )}
      <div className={compose.dock}>
        <div className={`muted ${compose.phase}`} />
        <Composer draft={draft} onDraft={set} mode="free" onSend={(said) => beginning.outbox.add(said)} />
      </div>
    </>
  );
}

/** Creates the chat with its first message, and opens it. */
function useBeginning(): { beginning: Beginning; items: readonly Outgoing[] } {
  const [, go] = useLocation();
  const queries = useQueryClient();
  const [beginning] = useState(() => new Beginning());
  const [items, show] = useState<readonly Outgoing[]>(beginning.outbox.items);
  useEffect(
    () =>
      beginning.start({
        changed: () => show(beginning.outbox.items),
        opened: ({ id }) => {
          void queries.invalidateQueries({ queryKey: ['get', '/v1/sessions'] });
          go(`/chat/${id}`, { replace: true });
        },
      }),
    [beginning, queries, go],
  );
  return { beginning, items };
}

/** The note about the demo model. */
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
