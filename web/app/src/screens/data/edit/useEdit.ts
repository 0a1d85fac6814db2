import { useState } from 'react';
import { difference } from '../../../api/mergePatch';
import { useAction } from '../../../ui/action';
import { announce } from '../../../shell/announce';
import { rebase } from './rebase';
import { texts } from '../texts';

interface Versioned {
  version: number;
}
interface Options<R extends Versioned, D extends object> {
  /** The stored object; omitted for a new one. */
  of?: R;
  /** The part that the form shows. */
  draftOf: (record?: R) => D;
  /** Saves it; `etag` is that of the version the form was loaded with. */
  save: (draft: D, etag: string, base: D) => Promise<unknown>;
  load?: () => Promise<R>;
}

/** A form for an object that others may change too: it is saved conditionally on the loaded version, and local edits
 * are kept after a conflict. */
export function useEdit<R extends Versioned, D extends object>({ of, draftOf, save, load }: Options<R, D>) {
  const t = texts.use();
  const [base, setBase] = useState(() => ({ version: of?.version ?? 0, draft: draftOf(of) }));
  const [draft, setDraft] = useState(base.draft);
  const [loaded, setLoaded] = useState(false);
  const action = useAction(() => save(draft, `"${base.version}"`, base.draft));
  return {
    draft,
    action,
    loaded,
    base: base.draft,
    version: base.version,
    set: (change: Partial<D>) => {
      setDraft((now) => ({ ...now, ...change }));
      if (loaded) setLoaded(false);
    },
    /** Resets the form to the stored object. */
    begin: (record: R) => {
      const next = draftOf(record);
      setBase({ version: record.version, draft: next });
      setDraft(next);
      setLoaded(false);
    },
    reload: async () => {
      const record = await load!();
      const theirs = draftOf(record);
      setDraft(rebase(base.draft, draft, theirs));
      setBase({ version: record.version, draft: theirs });
      action.clear();
      setLoaded(true);
      announce(t('stale.loaded'));
    },
  };
}

/** The edits as a merge patch: unchanged fields are omitted, emptied ones are null. */
export const changesOf = <D extends object>(base: D, draft: D): Partial<D> =>
  difference(base as Record<string, unknown>, draft as Record<string, unknown>) as Partial<D>;
