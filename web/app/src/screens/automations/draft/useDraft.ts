import { useEffect, useState } from 'react';
import { storageName } from '../../../api/base';
import { changed, rebase, type Draft } from './draft';
import { rekeyed } from './requestParts';

interface Kept {
  base: Draft;
  draft: Draft;
}
const nameOf = (id: string) => storageName(`automation.${id}`);

function read(id: string): Kept | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(nameOf(id)) ?? 'null') as Kept | null;
    return kept && Array.isArray(kept.draft.parts) && Array.isArray(kept.base.parts)
      ? { ...kept, draft: { ...kept.draft, parts: rekeyed(kept.draft.parts) } }
      : null;
  } catch {
    return null;
  }
}

function keep(id: string, kept: Kept | null) {
  try {
    if (kept) sessionStorage.setItem(nameOf(id), JSON.stringify(kept));
    else sessionStorage.removeItem(nameOf(id));
  } catch {
    /* it lasts as long as the page */
  }
}

/** The form's values. They survive a reload until saved or discarded. */
export function useDraft(id: string, first: Draft) {
  const [base, setBase] = useState(first);
  const [{ draft, restored }, set] = useState(() => {
    const kept = read(id);
    const draft = kept ? rebase(kept.base, kept.draft, first) : first;
    return { draft, restored: changed(first, draft) };
  });
  const dirty = changed(base, draft);
  useEffect(() => {
    keep(id, dirty ? { base, draft } : null);
  }, [id, base, draft, dirty]);
  return {
    base,
    draft,
    dirty,
    restored,
    change: (draft: Draft) => set({ draft, restored }),
    /** Resets the form to the server's version. */
    begin: (base: Draft) => {
      setBase(base);
      set({ draft: base, restored: false });
      keep(id, null);
    },
    forget: () => keep(id, null),
  };
}
export type DraftState = ReturnType<typeof useDraft>;
