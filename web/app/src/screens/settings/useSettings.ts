// The settings with their version, and changes to them that are not saved yet.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
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

export function useSettings() {
  return useQuery<Versioned>({
    queryKey: ['get', '/v1/settings', 'versioned'],
    queryFn: () => versioned(api.GET('/v1/settings')),
  });
}

export interface Draft {
  /** The value as it would be saved. */
  get(pointer: string): unknown;
  set(pointer: string, value: unknown): void;
  edited(pointer: string): boolean;
  changed: boolean;
  wrong(pointer: string): string | undefined;
  errors: FieldError[];
  discard(): void;
  save: Action<[]>;
  /** Somebody else saved meanwhile: what they saved is read, what was typed is kept. */
  again(): Promise<void>;
}

/** Edits of the settings, kept until they are saved. */
export function useDraft(loaded: Versioned): Draft {
  const t = texts.use();
  const queries = useQueryClient();
  const [edits, setEdits] = useState<ReadonlyMap<string, unknown>>(new Map());
  const key = ['get', '/v1/settings', 'versioned'];
  const save = useAction(async () => {
    const saved = await versioned(
      api.PATCH('/v1/settings', {
        params: { header: { 'If-Match': loaded.etag } },
        body: patchOf(edits) as Schemas['SettingsPatch'],
      }),
    );
    queries.setQueryData(key, saved);
    setEdits(new Map());
    announce(t('saved'));
    void queries.invalidateQueries({
      predicate: ({ queryKey }) => queryKey[1] === '/v1/settings' || queryKey[1] === '/v1/prompt-chunks',
    });
  });
  const errors = save.problem == null ? [] : asProblem(save.problem).errors;
  const set = useCallback(
    (pointer: string, value: unknown) =>
      setEdits((now) => {
        const next = new Map(now);
        if (same(value, at(loaded.value, pointer))) next.delete(pointer);
        else next.set(pointer, value);
        return next;
      }),
    [loaded.value],
  );
  return {
    get: (pointer) => (edits.has(pointer) ? edits.get(pointer) : at(loaded.value, pointer)),
    set,
    edited: (pointer) => edits.has(pointer),
    changed: edits.size > 0,
    wrong: (pointer) => errors.find((e) => e.pointer === pointer || e.pointer.startsWith(`${pointer}/`))?.message,
    errors,
    discard: () => {
      setEdits(new Map());
      save.clear();
    },
    save,
    again: async () => {
      await queries.refetchQueries({ queryKey: key });
      save.clear();
    },
  };
}
