import { useRef, useState } from 'react';
import { keepDraft, readDraft, type Draft } from '../store/drafts';

export interface DraftState {
  draft: Draft;
  set: (next: Draft) => void;
}

/** The draft of a chat. It is stored with every keystroke, or after a short delay if it is very long. */
export function useDraft(session: string | undefined): DraftState {
  const [draft, setDraft] = useState<Draft>(() => readDraft(session));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const set = (next: Draft) => {
    setDraft(next);
    clearTimeout(timer.current);
    if (next.text.length < 20_000) keepDraft(session, next);
    else timer.current = setTimeout(() => keepDraft(session, next), 300);
  };
  return { draft, set };
}
