import type { Schemas } from '../../../api/client';
import { visible } from '../../../ui/visible';
import { texts } from '../texts';

type Provenance = Schemas['Provenance'];

const outside = new Set<Provenance['origin']>(['mcp', 'http', 'task', 'webhook', 'file']);

export const isOutside = (from?: Provenance): from is Provenance => !!from && outside.has(from.origin);

/** The source of external content. */
export function Origin({ from }: { from?: Provenance }) {
  const t = texts.use();
  if (!isOutside(from)) return null;
  return (
    <span className="small muted" data-from={from.origin}>
      {t(`from.${from.origin as 'http'}`)} {from.source && <bdi>{visible(from.source)}</bdi>}
    </span>
  );
}
