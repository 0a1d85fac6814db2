import { visible } from '../ui/visible';
import type { Approval } from './decide';
import { texts } from './texts';

/** What is asked, in the server's words. */
export const titleOf = (a: Approval): string => visible(asked(a));

function asked(a: Approval): string {
  const data = (a.module?.data ?? {}) as Record<string, unknown>;
  const words = [data.question, data.message, data.title].find((x) => typeof x === 'string' && x.trim());
  if (a.kind === 'question') return (words as string | undefined) ?? a.text ?? '';
  if (a.kind === 'actions' && a.actions.length > 1) return texts.t('changes', { n: a.actions.length });
  return a.actions[0]?.text && a.kind === 'actions' ? a.actions[0].text : (a.text ?? '');
}
