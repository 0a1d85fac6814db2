import type { Chat } from '../store/chat';
import type { Message } from '../store/sessionStore';
import { partOf } from '../store/failure';
import { texts } from '../texts';
import { useRecord } from '../useChat';

/** Continues an incomplete answer by requesting the rest of it. */
export function ContinueButton({ chat, message }: { chat: Chat; message: Message }) {
  const t = texts.use();
  useRecord(chat);
  const { session, placed } = chat.store;
  const since = placed.slice(placed.findIndex((m) => m.id === message.id) + 1);
  const last = partOf(message) && since.every((m) => m.sender === 'SYSTEM');
  if (!last || session?.type !== 'CHAT' || session.status !== 'idle' || chat.outbox.items.length) return null;
  return (
    <button
      type="button"
      className="small"
      data-act="continue"
      onClick={() => chat.outbox.add({ text: t('continue.message'), references: [] })}
    >
      {t('continue')}
    </button>
  );
}
