import type { Schemas } from '../../api/client';
import { useNow } from '../../ui/Time';
import { standingOf, toneOf, type Connector } from './connector';
import { texts } from './texts';

/** How a connector is, in a word with its colour. */
export function Status({ of: c }: { of: Connector }) {
  const t = texts.use();
  const standing = standingOf(c, useNow());
  return (
    <span className={`badge ${toneOf[standing]}`} data-standing={standing}>
      {t(`status.${standing}`)}
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
