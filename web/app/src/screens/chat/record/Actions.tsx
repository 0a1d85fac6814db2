import { useState } from 'react';
import { createPortal } from 'react-dom';
import { useLocation } from 'wouter';
import { api, body } from '../../../api/client';
import { useAction } from '../../../ui/action';
import { ProblemBox } from '../../../ui/Problem';
import type { Chat } from '../store/chat';
import type { Message } from '../store/sessionStore';
import { again } from '../texts.again';
import { useRecord } from '../useChat';
import { AgainDialog } from './Again';

/** Begins a chat that goes on from a message, and opens it. */
export function useFork(chat: Chat) {
  const [, go] = useLocation();
  return useAction(async (message: string) => {
    const made = await body(
      api.POST('/v1/sessions/{session_id}/fork', {
        params: { path: { session_id: chat.id } },
        body: { after_message_id: message },
      }),
    );
    go(`/chat/${made.id}`);
  });
}

/** What can be done with a message: answer again, or go on from it elsewhere. */
export function MessageActions({ chat, message }: { chat: Chat; message: Message }) {
  const t = again.use();
  const [asking, ask] = useState(false);
  const fork = useFork(chat);
  useRecord(chat); // whether it can be answered again changes while the message does not
  const { session } = chat.store;
  if (!session || message.seq === null || (session.type !== 'CHAT' && session.type !== 'AUTOMATION')) return null;
  const retries =
    message.sender === 'AI' && session.type === 'CHAT' && session.status === 'idle' && chat.store.isLastRound(message);
  return (
    <>
      {retries && (
        <button type="button" className="plain small" data-act="again" onClick={() => ask(true)}>
          ↻ {t('act.again')}
        </button>
      )}
      <button
        type="button"
        className="plain small"
        data-act="fork"
        title={t('act.fork.hint')}
        disabled={fork.busy}
        onClick={() => void fork.run(message.id)}
      >
        {t('act.fork')}
      </button>
      {fork.problem != null && <ProblemBox thrown={fork.problem} onClose={fork.clear} />}
      {asking && createPortal(<AgainDialog chat={chat} onClose={() => ask(false)} />, document.body)}
    </>
  );
}
