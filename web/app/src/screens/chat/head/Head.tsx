import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { api, body } from '../../../api/client';
import { useAction } from '../../../ui/action';
import { Confirm } from '../../../ui/Confirm';
import { ProblemBox } from '../../../ui/Problem';
import type { Chat } from '../store/chat';
import type { Session } from '../store/sessionStore';
import { emptyDraft, keepDraft } from '../store/drafts';
import { texts } from '../texts';
import { ChatSettings } from './ChatSettings';
import { ContextBar } from './ContextBar';
import { download } from './download';
import css from './head.module.css';
import { Menu } from './Menu';
import { nameOf } from './name';

/** The head of an open chat: its name, what it has used, what can be done with it. */
export function Head({ chat, session, toggle }: { chat: Chat; session: Session; toggle: ReactNode }) {
  const t = texts.use();
  const [, go] = useLocation();
  const queries = useQueryClient();
  const [dialog, show] = useState<'settings' | 'delete' | null>(null);
  const path = { params: { path: { session_id: chat.id } } };
  const pin = useAction(async () => {
    try {
      chat.store.take(
        await body(api.PATCH('/v1/sessions/{session_id}', { ...path, body: { pinned: !session.pinned } })),
      );
    } catch (thrown) {
      chat.doubt(thrown);
      throw thrown;
    }
    void queries.invalidateQueries({ queryKey: ['get', '/v1/sessions'] });
  });
  const take = useAction((format: 'json' | 'markdown') => download(chat.id, format, nameOf(session, t)));
  const remove = async () => {
    await api.DELETE('/v1/sessions/{session_id}', path);
    keepDraft(chat.id, emptyDraft);
    void queries.invalidateQueries({ queryKey: ['get', '/v1/sessions'] });
    go('/chat');
  };
  const problem = pin.problem ?? take.problem;
  return (
    <header className={css.head}>
      <div className={css.title}>
        {toggle}
        <h1 tabIndex={-1} id="page-title" className={css.name} title={session.name.slice(0, 300)}>
          {nameOf(session, t)}
        </h1>
        <Menu label={t('head.actions')} className={css.menu}>
          {session.type === 'CHAT' && (
            <button type="button" className="plain small" onClick={() => void pin.run()}>
              {t(session.pinned ? 'head.unpin' : 'head.pin')}
            </button>
          )}
          {session.type === 'CHAT' && (
            <button type="button" className="plain small" onClick={() => show('settings')}>
              {t('head.rename')}
            </button>
          )}
          {session.automation_id && (
            <Link className="button plain small" href={`/automations/${session.automation_id}`}>
              {t('head.automation')}
            </Link>
          )}
          <Link className="button plain small" href={`/timeline/${chat.id}`}>
            {t('head.timeline')}
          </Link>
          <button type="button" className="plain small" onClick={() => void take.run('markdown')}>
            {t('head.markdown')}
          </button>
          <button type="button" className="plain small" onClick={() => void take.run('json')}>
            {t('head.json')}
          </button>
          <button type="button" className="plain small danger" onClick={() => show('delete')}>
            {t('head.delete')}
          </button>
        </Menu>
      </div>
      <ContextBar chat={chat} session={session} />
      {problem != null && (
        <ProblemBox
          thrown={problem}
          onClose={() => {
            pin.clear();
            take.clear();
          }}
        />
      )}
      {dialog === 'settings' && <ChatSettings chat={chat} session={session} onClose={() => show(null)} />}
      {dialog === 'delete' && (
        <Confirm title={t('delete.title')} yes={t('delete.yes')} danger act={remove} onClose={() => show(null)}>
          <p className="clamp">{nameOf(session, t)}</p>
          <p>{t('delete.text')}</p>
        </Confirm>
      )}
    </header>
  );
}
