import { useEffect, useState, useSyncExternalStore } from 'react';
import { Chat } from './store/chat';

/** The open chat. Its component is keyed by the id, so another id is another chat. */
export function useChat(id: string): Chat {
  const [chat] = useState(() => new Chat(id));
  useEffect(() => chat.start(), [chat]);
  useSyncExternalStore(chat.record.subscribe, chat.record.read);
  return chat;
}

/** Shown again whenever the record has changed; the number stands for its state. */
export const useRecord = (chat: Chat): number => useSyncExternalStore(chat.record.subscribe, chat.record.read);

const never = () => () => {};
const zero = () => 0;

/** Shown again whenever streamed text has grown, if it is asked for. */
export const useLive = (chat: Chat, wanted: boolean): number =>
  useSyncExternalStore(wanted ? chat.live.subscribe : never, wanted ? chat.live.read : zero);
