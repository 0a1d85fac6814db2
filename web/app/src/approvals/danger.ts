// The effects of an approval's actions, counted, and which of them are dangerous.
import type { Schemas } from '../api/client';

type Action = Pick<Schemas['ApprovalAction'], 'command' | 'before' | 'after' | 'warnings' | 'sensitive'>;

export const effects = ['added', 'changed', 'document', 'other', 'deletion'] as const;
export type Effect = (typeof effects)[number];

const none = (value: unknown) => value === undefined || value === null;

/** The effect of an action on the data; `other` is an external call without a record. */
export function effectOf({ command, before, after }: Action): Effect {
  const own = !command.includes('.');
  if (own && /(^|_)DELETE(_|$)/.test(command)) return 'deletion';
  if (own && command.startsWith('CONTEXT_')) return 'document';
  if (none(before) && none(after)) return 'other';
  if (none(before)) return 'added';
  return none(after) ? 'deletion' : 'changed';
}

/** Whether it must be seen before it is approved. */
export const isDangerous = (a: Action): boolean =>
  effectOf(a) === 'deletion' || !!a.warnings?.length || a.sensitive === true;

/** Dangerous actions first; the others keep their order. */
export const dangerousFirst = <A extends Action>(actions: readonly A[]): A[] => [
  ...actions.filter(isDangerous),
  ...actions.filter((a) => !isDangerous(a)),
];

/** How many actions have each effect; those that none has are left out. */
export function countEffects(actions: readonly Action[]): { effect: Effect; n: number }[] {
  return effects
    .map((effect) => ({ effect, n: actions.filter((a) => effectOf(a) === effect).length }))
    .filter(({ n }) => n > 0);
}
