import { useLayoutEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { api, body } from '../../../api/client';
import { useAction } from '../../../ui/action';
import { ProblemBox } from '../../../ui/Problem';
import { texts as ui } from '../../../ui/texts';
import type { Chat } from '../store/chat';
import { contentOf, draftOf, isEmpty, sameDraft, type Draft } from '../store/drafts';
import { writtenText } from '../store/items';
import type { Message } from '../store/sessionStore';
import { again } from '../texts.again';
import { nameOf } from '../head/name';
import { texts } from '../texts';
import css from './record.module.css';
import { Differs } from './Differs';
import { KeptFiles } from './KeptFiles';
import { useAgain } from './useAgain';

interface Props {
  chat: Chat;
  message: Message;
  onDone: () => void;
}

/** Edits a message in place. The last question is answered again; editing an earlier one forks a new chat, because
 * the messages after it are kept. */
export function EditMessage({ chat, message, onDone }: Props) {
  const t = again.use();
  const tu = ui.use();
  const [asked] = useState<Draft>(() => draftOf(message.rich_content?.segments ?? [], writtenText(message)));
  const [draft, set] = useState<Draft>(asked);
  const field = useRef<HTMLTextAreaElement>(null);
  const last = chat.store.lastQuestion?.id === message.id && chat.store.isLastRound(message);
  const retry = useAgain(chat, onDone);
  const branch = useBranch(chat);
  const busy = retry.busy || branch.busy;
  useLayoutEffect(() => {
    const box = field.current;
    if (!box) return;
    box.style.height = 'auto';
    box.style.height = `${Math.min(box.scrollHeight + 2, window.innerHeight / 2)}px`;
  });
  const send = () => {
    if (isEmpty(draft) || busy) return;
    if (last) retry.run({ message: contentOf(draft) });
    else void branch.run(message, draft);
  };
  return (
    <form
      className={css.editing}
      data-editing={last ? 'again' : 'fork'}
      onSubmit={(e) => {
        e.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person asked to edit it
        autoFocus
        rows={2}
        aria-label={t('edit.field')}
        value={draft.text}
        onChange={(e) => set({ ...draft, text: e.target.value })}
        onKeyDown={(e) => {
          if (e.key === 'Escape') {
            e.stopPropagation();
            onDone();
          }
          if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) send();
        }}
      />
      <KeptFiles draft={draft} onDraft={set} />
      <p className="meta">{t(last ? 'edit.keeps' : 'edit.forks')}</p>
      {last && <Differs chat={chat} reworded={!sameDraft(draft, asked)} />}
      {retry.more}
      {branch.problem != null && <ProblemBox thrown={branch.problem} onClose={branch.clear} />}
      <div className="row">
        <button type="submit" className="primary small" disabled={busy || isEmpty(draft)}>
          {t('edit.send')}
        </button>
        <button type="button" className="small" onClick={onDone}>
          {tu('cancel')}
        </button>
      </div>
    </form>
  );
}

/** A fork with everything before a message, which continues with a different text. */
function useBranch(chat: Chat) {
  const [, go] = useLocation();
  return useAction(async (message: Message, draft: Draft) => {
    const before = chat.store.placed.findLast((m) => m.seq! < message.seq! && m.status !== 'superseded');
    const made = before
      ? await body(
          api.POST('/v1/sessions/{session_id}/fork', {
            params: { path: { session_id: chat.id } },
            body: { after_message_id: before.id, message: contentOf(draft) },
          }),
        )
      : await body(
          api.POST('/v1/sessions', {
            body: { type: 'CHAT', name: nameOf(chat.store.session!, texts.t), message: contentOf(draft) },
          }),
        );
    go(`/chat/${made.id}`);
  });
}
