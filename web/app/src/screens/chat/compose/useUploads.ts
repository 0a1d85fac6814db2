import { useEffect, useRef, useState, type DragEvent } from 'react';
import type { Schemas } from '../../../api/client';
import { asProblem, type Problem } from '../../../api/problem';
import { upload } from '../../../api/upload';
import type { Draft } from '../store/drafts';

/** A file that is being uploaded, or whose upload failed. */
export interface Upload {
  key: number;
  name: string;
  /** The share that has been sent, from 0 to 1. */
  sent: number;
  problem?: Problem;
  cancel: () => void;
}

export interface Uploads {
  items: Upload[];
  busy: boolean;
  dropping: boolean;
  add: (files: File[]) => void;
  remove: (key: number) => void;
  detach: (id: string) => void;
  clear: () => void;
  drop: {
    onDragEnter: (e: DragEvent) => void;
    onDragOver: (e: DragEvent) => void;
    onDragLeave: (e: DragEvent) => void;
    onDrop: (e: DragEvent) => void;
  };
}

let last = 0;

/** Uploads files for a draft. Each is added to the draft once the server has stored it. */
export function useUploads(draft: Draft, onDraft: (draft: Draft) => void): Uploads {
  const [items, set] = useState<Upload[]>([]);
  const [dropping, setDropping] = useState(false);
  const now = useRef({ draft, onDraft });
  const live = useRef(new Map<number, () => void>());
  useEffect(() => {
    now.current = { draft, onDraft };
  });
  useEffect(() => {
    const all = live.current;
    return () => {
      for (const cancel of all.values()) cancel();
    };
  }, []);
  const remove = (key: number) => {
    live.current.get(key)?.();
    live.current.delete(key);
    set((all) => all.filter((u) => u.key !== key));
  };
  const mark = (key: number, change: Partial<Upload>) =>
    set((all) => all.map((u) => (u.key === key ? { ...u, ...change } : u)));
  const arrived = (key: number, file: Schemas['File']) => {
    if (!live.current.has(key)) return;
    remove(key);
    const next = { ...now.current.draft, files: [...(now.current.draft.files ?? []), file] };
    now.current = { ...now.current, draft: next }; // more files may be added before the next render
    now.current.onDraft(next);
  };
  const add = (files: File[]) => {
    for (const file of files) {
      const key = ++last;
      const { done, cancel } = upload(file, (sent) => mark(key, { sent }));
      live.current.set(key, cancel);
      set((all) => [...all, { key, name: file.name, sent: 0, cancel }]);
      done.then(
        (stored) => arrived(key, stored),
        (thrown: unknown) => mark(key, { problem: asProblem(thrown) }),
      );
    }
  };
  const holdsFiles = (e: DragEvent) => e.dataTransfer.types.includes('Files');
  return {
    items,
    busy: items.some((u) => !u.problem),
    dropping,
    add,
    remove,
    detach: (id) => onDraft({ ...draft, files: (draft.files ?? []).filter((f) => f.id !== id) }),
    clear: () => set([]),
    drop: {
      onDragEnter: (e) => {
        if (holdsFiles(e)) setDropping(true);
      },
      onDragOver: (e) => {
        if (holdsFiles(e)) e.preventDefault();
      },
      onDragLeave: (e) => {
        if (!e.currentTarget.contains(e.relatedTarget as Node | null)) setDropping(false);
      },
      onDrop: (e) => {
        setDropping(false);
        if (!holdsFiles(e)) return;
        e.preventDefault();
        add([...e.dataTransfer.files]);
      },
    },
  };
}
