import { visible } from '../ui/visible';
import { countEffects } from './danger';
import type { Approval } from './decide';
import { texts } from './texts';

/** The effects of several actions, counted: "2 added, 1 deletion". */
export const effectsOf = (actions: Approval['actions']): string =>
  countEffects(actions)
    .map(({ effect, n }) => texts.t(`effect.${effect}`, { n }))
    .join(', ');

/** The approval's text, from the server. */
export const titleOf = (a: Approval): string => visible(asked(a));

function asked(a: Approval): string {
  const data = (a.module?.data ?? {}) as Record<string, unknown>;
  const words = [data.question, data.message, data.title].find((x) => typeof x === 'string' && x.trim());
  if (a.kind === 'question') return (words as string | undefined) ?? a.text ?? '';
  if (a.kind === 'actions' && a.actions.length > 1)
    return texts.t('changes.of', { n: a.actions.length, what: effectsOf(a.actions) });
  return a.actions[0]?.text && a.kind === 'actions' ? a.actions[0].text : (a.text ?? '');
}
