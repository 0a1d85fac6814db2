import type { Schemas } from '../../api/client';
import { Status as Stands } from '../../ui/Status';
import { useNow } from '../../ui/Time';
import { standingOf, standsOf, type Connector } from './connector';
import { texts } from './texts';

/** How a connector is: an icon and a word. */
export function Status({ of: c }: { of: Connector }) {
  const t = texts.use();
  const standing = standingOf(c, useNow());
  return (
    <span data-standing={standing}>
      <Stands is={standsOf[standing]}>{t(`status.${standing}`)}</Stands>
    </span>
  );
}

export function Counts({ of: commands }: { of: Schemas['ConnectorCommand'][] }) {
  const t = texts.use();
  const changed = commands.filter((c) => c.state === 'changed').length;
  const offered = commands.filter((c) => c.state === 'offered').length;
  return (
    <>
      <span>{commands.length ? t('offered', { n: commands.length, offered }) : t('no.commands')}</span>
      {changed > 0 && <span className="badge warn">{t('changed', { n: changed })}</span>}
    </>
  );
}
