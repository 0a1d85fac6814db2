// The rule that can be turned off from a card, if there is one.
import type { Schemas } from '../api/client';
import { isDangerous } from './danger';

type Approval = Schemas['Approval'];
export type Reason = Schemas['ApprovalReason'];
type Place = 'workspace' | 'zone' | 'tool' | 'session';
export type Offer = { at: 'automation'; automation: string } | { at: Place; reasons: readonly Reason[] };

const places: readonly string[] = ['workspace', 'zone', 'tool', 'session'] satisfies Place[];

/** The rule that can be turned off; null for dangerous actions and for those that the AI, a connector or external
 * content made subject to approval. */
export function offerOf(
  { actions, reasons }: Pick<Approval, 'actions' | 'reasons'>,
  automation: string | null,
): Offer | null {
  if (!actions.length || actions.some((a) => isDangerous(a))) return null;
  if (!reasons.length || reasons.some((r) => r.always || !places.includes(r.level))) return null;
  if (automation) return { at: 'automation', automation };
  return { at: reasons[0]!.level as Place, reasons };
}
