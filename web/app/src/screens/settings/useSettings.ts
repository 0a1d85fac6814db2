// The settings with their version and unsaved changes.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api, versioned, type Schemas } from '../../api/client';
import { same } from '../../api/mergePatch';
import { asProblem, type FieldError } from '../../api/problem';
import { announce } from '../../shell/announce';
import { useAction, type Action } from '../../ui/action';
import { at, patchOf } from './pointer';
import { texts } from './texts';

export type Settings = Schemas['Settings'];
interface Versioned {
  value: Settings;
  etag: string;
}
type Values = ReadonlyMap<string, unknown>;
const key = ['get', '/v1/settings', 'versioned'];

export function useSettings() {
  return useQuery<Versioned>({
    queryKey: key,
    queryFn: () => versioned(api.GET('/v1/settings')),
  });
}

export interface Draft {
  /** The value that would be saved. */
  get(pointer: string): unknown;
  set(pointer: string, value: unknown): void;
  edited(pointer: string): boolean;
  changed: boolean;
  wrong(pointer: string): string | undefined;
  errors: FieldError[];
  discard(): void;
  save: Action<[]>;
  /** A concurrent save: the stored values are loaded, local edits are kept. */
  again(): Promise<void>;
  /** The stored values are loaded, and local edits wait for review. */
  review: boolean;
  /** A conflict: nothing is saved before the person has reviewed it and asks for it. */
  held: boolean;
  /** Called on blur: saves, unless the same values were rejected before. */
  leave(): void;
  /** The last save can be undone. */
  undo: Action<[]> | null;
}

const put = (etag: string, values: Values) =>
  versioned(
    api.PATCH('/v1/settings', {
      params: { header: { 'If-Match': etag } },
      body: patchOf(values) as Schemas['SettingsPatch'],
    }),
  );

/** Saves values that were loaded in `known`. Concurrent changes of other values are kept and these are saved too; a
 * concurrent change of the same ones is a conflict. */
async function store(known: Versioned, values: Values): Promise<Versioned> {
  try {
    return await put(known.etag, values);
  } catch (thrown) {
    if (asProblem(thrown).status !== 412) throw thrown;
    const fresh = await versioned(api.GET('/v1/settings'));
    if ([...values.keys()].some((p) => !same(at(fresh.value, p), at(known.value, p)))) throw thrown;
    return put(fresh.etag, values);
  }
}

/** The patch that restores these values: to the default if nothing was set. */
export function undoOf(known: Settings, values: Values): Values {
  const set = (p: string) =>
    p.startsWith('/limits/') || known.changed.some((c) => c === p || c.startsWith(`${p}/`) || p.startsWith(`${c}/`));
  return new Map([...values.keys()].map((p) => [p, set(p) ? (at(known, p) ?? null) : null]));
}

/** Edits of the settings, held until they are saved. */
export function useDraft(loaded: Versioned): Draft {
  const t = texts.use();
  const queries = useQueryClient();
  const [edits, setEdits] = useState<Values>(new Map());
  const newest = useRef<Values>(edits); // current within the event that changes them, too
  const [before, setBefore] = useState<Values | null>(null);
  const [review, setReview] = useState(false);
  const known = useRef(loaded);
  useEffect(() => {
    known.current = loaded;
  }, [loaded]);
  const change = useCallback((next: Values) => {
    newest.current = next;
    setEdits(next);
  }, []);
  const took = (saved: Versioned) => {
    known.current = saved;
    queries.setQueryData(key, saved);
    void queries.invalidateQueries({
      predicate: ({ queryKey }) =>
        (queryKey[1] === '/v1/settings' && queryKey[2] !== 'versioned') || queryKey[1] === '/v1/prompt-chunks',
    });
  };
  const failed = useRef<Values | null>(null); // rejected, and unchanged since
  const save = useAction(async () => {
    failed.current = newest.current;
    // A value changed during a save is saved afterwards.
    while (newest.current.size) {
      const values = new Map(newest.current);
      const back = undoOf(known.current.value, values);
      // Saves are sequential: each needs the version of the one before.
      // eslint-disable-next-line no-await-in-loop
      took(await store(known.current, values));
      failed.current = null;
      change(new Map([...newest.current].filter(([p, v]) => !values.has(p) || !same(values.get(p), v))));
      setBefore(back);
      setReview(false);
      announce(t('saved'));
    }
  });
  const undo = useAction(async () => {
    if (!before) return;
    took(await store(known.current, before));
    setBefore(null);
    announce(t('undone'));
  });
  const errors = save.problem == null ? [] : asProblem(save.problem).errors;
  const set = useCallback(
    (pointer: string, value: unknown) => {
      const next = new Map(newest.current);
      if (same(value, at(known.current.value, pointer))) next.delete(pointer);
      else next.set(pointer, value);
      change(next);
    },
    [change],
  );
  const held = review || (save.problem != null && asProblem(save.problem).status === 412);
  return {
    get: (pointer) => (edits.has(pointer) ? edits.get(pointer) : at(loaded.value, pointer)),
    set,
    edited: (pointer) => edits.has(pointer),
    changed: edits.size > 0,
    wrong: (pointer) => errors.find((e) => e.pointer === pointer || e.pointer.startsWith(`${pointer}/`))?.message,
    errors,
    discard: () => {
      change(new Map());
      setReview(false);
      save.clear();
    },
    save,
    again: async () => {
      await queries.refetchQueries({ queryKey: key });
      setReview(true);
      save.clear();
    },
    review: review && edits.size > 0,
    held,
    leave: () => {
      if (!held && newest.current !== failed.current) void save.run();
    },
    undo: before ? undo : null,
  };
}
