import { CalendarClock, Download, Ellipsis, History, Pencil, Pin, PinOff, Settings2, Trash2 } from 'lucide-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { api, body } from '../../../api/client';
import { useAction } from '../../../ui/action';
import { Confirm } from '../../../ui/Confirm';
import { Icon } from '../../../ui/Icon';
import { ProblemBox } from '../../../ui/Problem';
import type { Chat } from '../store/chat';
import type { Session } from '../store/sessionStore';
import { emptyDraft, keepDraft } from '../store/drafts';
import { Menu } from '../Menu';
import { texts } from '../texts';
import { ChatSettings } from './ChatSettings';
import { download } from './download';
import css from './head.module.css';
import { Model } from './Model';
import { NameField } from './NameField';
import { nameOf } from './name';

/** The header of an open chat: name, usage, actions. */
export function Head({ chat, session, toggle }: { chat: Chat; session: Session; toggle: ReactNode }) {
  const t = texts.use();
  const [, go] = useLocation();
  const queries = useQueryClient();
  const [naming, name] = useState(false);
  const [dialog, show] = useState<'settings' | 'delete' | null>(null);
  const path = { params: { path: { session_id: chat.id } } };
  const pin = useAction(async () => {
    try {
      chat.store.take(
        await body(api.PATCH('/v1/sessions/{session_id}', { ...path, body: { pinned: !session.pinned } })),
      );
    } catch (thrown) {
      chat.recheck(thrown);
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
        <NameField chat={chat} session={session} editing={naming} edit={name} />
        <Model chat={chat} session={session} />
        <Menu label={t('head.actions')} button={<Icon of={Ellipsis} />} className="plain icon">
          {session.type === 'CHAT' && (
            <>
              <button type="button" onClick={() => name(true)}>
                <Icon of={Pencil} />
                {t('head.rename')}
              </button>
              <button type="button" onClick={() => void pin.run()}>
                <Icon of={session.pinned ? PinOff : Pin} />
                {t(session.pinned ? 'head.unpin' : 'head.pin')}
              </button>
              <button type="button" onClick={() => show('settings')}>
                <Icon of={Settings2} />
                {t('head.settings')}
              </button>
            </>
          )}
          {session.automation_id && (
            <Link href={`/automations/${session.automation_id}`}>
              <Icon of={CalendarClock} />
              {t('head.automation')}
            </Link>
          )}
          <Link href={`/timeline/${chat.id}`}>
            <Icon of={History} />
            {t('head.timeline')}
          </Link>
          <hr />
          <button type="button" onClick={() => void take.run('markdown')}>
            <Icon of={Download} />
            {t('head.markdown')}
          </button>
          <button type="button" onClick={() => void take.run('json')}>
            <Icon of={Download} />
            {t('head.json')}
          </button>
          <hr />
          <button type="button" className="danger" onClick={() => show('delete')}>
            <Icon of={Trash2} />
            {t('head.delete')}
          </button>
        </Menu>
      </div>
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
