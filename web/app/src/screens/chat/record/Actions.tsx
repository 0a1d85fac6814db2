import { GitBranch, History, Pencil, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import { Link, useLocation } from 'wouter';
import { $api, api, body } from '../../../api/client';
import { useAction } from '../../../ui/action';
import { Icon, IconButton } from '../../../ui/Icon';
import { ProblemBox } from '../../../ui/Problem';
import { Menu } from '../Menu';
import type { Chat } from '../store/chat';
import type { Message } from '../store/sessionStore';
import { again } from '../texts.again';
import { useRecord } from '../useChat';
import { AgainDialog } from './Again';
import { useAgain } from './useAgain';

/** Forks a chat from a message, and opens it. */
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

interface Props {
  chat: Chat;
  message: Message;
  /** Edits the message, if that is possible. */
  onEdit?: () => void;
}

/** The actions of a message: answer again, edit, fork, timeline. */
export function MessageActions({ chat, message, onEdit }: Props) {
  const t = again.use();
  const fork = useFork(chat);
  useRecord(chat); // whether it can be answered again changes without a change of the message
  const { session } = chat.store;
  if (!session || message.seq === null || (session.type !== 'CHAT' && session.type !== 'AUTOMATION')) return null;
  const rests = session.type === 'CHAT' && session.status === 'idle';
  return (
    <>
      {message.sender === 'AI' && rests && chat.store.isLastRound(message) && <AnswerAgain chat={chat} />}
      {onEdit && rests && (
        <IconButton of={Pencil} label={t('act.edit')} className="plain small" data-act="edit" onClick={onEdit} />
      )}
      <IconButton
        of={GitBranch}
        label={t('act.fork')}
        className="plain small"
        data-act="fork"
        disabled={fork.busy}
        onClick={() => void fork.run(message.id)}
      />
      <Link
        href={`/timeline/${chat.id}`}
        className="button icon plain small"
        aria-label={t('act.timeline')}
        title={t('act.timeline')}
      >
        <Icon of={History} />
      </Link>
      {fork.problem != null && <ProblemBox thrown={fork.problem} onClose={fork.clear} />}
    </>
  );
}

/** Requests the answer again: from the same or another model at once, or reworded in a form. */
function AnswerAgain({ chat }: { chat: Chat }) {
  const t = again.use();
  const [wanted, want] = useState(false);
  const [asking, ask] = useState(false);
  const providers = $api.useQuery('get', '/v1/providers', { params: { query: { limit: 200 } } }, { enabled: wanted });
  const send = useAgain(chat);
  const { provider_id: own } = chat.store.session!;
  const others = providers.data?.data.filter((p) => (own ? p.id !== own : !p.is_default)) ?? [];
  return (
    <>
      <Menu
        label={t('act.again')}
        act="again"
        className="plain small icon"
        button={<Icon of={RefreshCw} />}
        onOpen={() => want(true)}
      >
        <button type="button" data-again-with="same" disabled={send.busy} onClick={() => send.run({})}>
          {t('act.again.same')}
        </button>
        {others.slice(0, 8).map((p) => (
          <button
            key={p.id}
            type="button"
            data-again-with={p.id}
            disabled={send.busy}
            onClick={() => send.run({ provider_id: p.id })}
          >
            <bdi className="clamp">{p.name}</bdi>
          </button>
        ))}
        <hr />
        <button type="button" data-again-with="form" onClick={() => ask(true)}>
          {t('act.again.other')}
        </button>
      </Menu>
      {send.more}
      {asking && createPortal(<AgainDialog chat={chat} onClose={() => ask(false)} />, document.body)}
    </>
  );
}
