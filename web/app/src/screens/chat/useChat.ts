import { useEffect, useState, useSyncExternalStore } from 'react';
import { Chat } from './store/chat';

/** The open chat. Its component is keyed by id, so another id is another chat. */
export function useChat(id: string): Chat {
  const [chat] = useState(() => new Chat(id));
  useEffect(() => chat.start(), [chat]);
  useSyncExternalStore(chat.record.subscribe, chat.record.read);
  return chat;
}

/** Re-renders when the record changes; the number is the version of its state. */
export const useRecord = (chat: Chat): number => useSyncExternalStore(chat.record.subscribe, chat.record.read);

const never = () => () => {};
const zero = () => 0;

/** Re-renders when streamed text grows, if enabled. */
export const useLive = (chat: Chat, wanted: boolean): number =>
  useSyncExternalStore(wanted ? chat.live.subscribe : never, wanted ? chat.live.read : zero);
