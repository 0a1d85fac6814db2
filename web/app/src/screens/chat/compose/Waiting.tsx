import { ChevronDown, ChevronUp } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../../api/client';
import { announce } from '../../../shell/announce';
import { useAction } from '../../../ui/action';
import { Icon } from '../../../ui/Icon';
import { ProblemBox } from '../../../ui/Problem';
import { texts as ui } from '../../../ui/texts';
import type { Chat } from '../store/chat';
import type { Message } from '../store/sessionStore';
import { contentOf, draftOf, isEmpty, type Draft } from '../store/drafts';
import { writtenText } from '../store/items';
import { words } from '../texts.compose';
import { texts } from '../texts';
import css from './compose.module.css';

const short = (text: string) => (text.length > 80 ? `${text.slice(0, 79)}…` : text);

/** Messages that are queued on the server: one line that expands upwards. */
export function WaitingMessages({ chat, onBack }: { chat: Chat; onBack: (draft: Draft) => void }) {
  const t = words.use();
  const [open, show] = useState(false);
  const { queued } = chat.store;
  if (!queued.length) return null;
  return (
    <>
      <button type="button" className="plain small" data-waiting="" aria-expanded={open} onClick={() => show(!open)}>
        {t('queue.line', { n: queued.length })}
        <Icon of={open ? ChevronDown : ChevronUp} />
      </button>
      {open && (
        <div className={css.waiting}>
          <h2>{t('queue.title')}</h2>
          <ul className="plain stack tight" data-queued="">
            {queued.map((m) => (
              <Queued key={m.id} chat={chat} message={m} onBack={onBack} />
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

function Queued({ chat, message, onBack }: { chat: Chat; message: Message; onBack: (draft: Draft) => void }) {
  const t = words.use();
  const [editing, edit] = useState<Draft | null>(null);
  const text = writtenText(message);
  const path = { params: { path: { session_id: chat.id, message_id: message.id } } };
  const asDraft = () => draftOf(message.rich_content?.segments ?? [], text);
  const withdraw = useAction(async () => {
    try {
      const { data } = await api.DELETE('/v1/sessions/{session_id}/messages/{message_id}', path);
      chat.store.drop(message.id);
      chat.store.take(data!.session);
    } catch (thrown) {
      chat.recheck(thrown);
      throw thrown;
    }
    onBack(asDraft());
    announce(texts.t('said.withdrawn'));
  });
  if (editing)
    return <Editing chat={chat} message={message} draft={editing} onDraft={edit} onDone={() => edit(null)} />;
  return (
    <li className={css.queued} data-message={message.id}>
      <span className="grow clamp">{text}</span>
      <button
        type="button"
        className="plain small"
        aria-label={t('queue.edit.this', { text: short(text) })}
        onClick={() => edit(asDraft())}
      >
        {t('queue.edit')}
      </button>
      <button
        type="button"
        className="plain small"
        aria-label={t('queue.withdraw.this', { text: short(text) })}
        onClick={() => void withdraw.run()}
      >
        {t('queue.withdraw')}
      </button>
      {withdraw.problem != null && <ProblemBox thrown={withdraw.problem} onClose={withdraw.clear} />}
    </li>
  );
}

interface EditingProps {
  chat: Chat;
  message: Message;
  draft: Draft;
  onDraft: (draft: Draft) => void;
  onDone: () => void;
}

function Editing({ chat, message, draft, onDraft, onDone }: EditingProps) {
  const t = words.use();
  const tu = ui.use();
  const done = () => {
    onDone();
    document.getElementById('message')?.focus();
  };
  const save = useAction(async () => {
    try {
      const { data } = await api.PATCH('/v1/sessions/{session_id}/messages/{message_id}', {
        params: { path: { session_id: chat.id, message_id: message.id } },
        body: contentOf(draft),
      });
      if (chat.store.messages.get(message.id)?.status === 'queued') chat.store.messages.set(message.id, data!.message);
      chat.store.take(data!.session);
    } catch (thrown) {
      chat.recheck(thrown);
      throw thrown;
    }
    done();
  });
  return (
    <li className={css.queued} data-message={message.id}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          if (!isEmpty(draft)) void save.run();
        }}
      >
        <textarea
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person asked to edit it
          autoFocus
          rows={3}
          aria-label={t('queue.field')}
          value={draft.text}
          onChange={(e) => onDraft({ ...draft, text: e.target.value })}
          onKeyDown={(e) => {
            if (e.key === 'Escape') {
              e.stopPropagation();
              done();
            }
          }}
        />
        {save.problem != null && <ProblemBox thrown={save.problem} onClose={save.clear} />}
        <div className="row">
          <button type="submit" className="primary small" disabled={save.busy || isEmpty(draft)}>
            {t('queue.save')}
          </button>
          <button type="button" className="small" onClick={done}>
            {tu('cancel')}
          </button>
        </div>
      </form>
    </li>
  );
}
