import type { Schemas } from '../../api/client';
import { Status as StatusKind } from '../../ui/Status';
import { useNow } from '../../ui/Time';
import { statusOf, levelOf, type Connector } from './connector';
import { texts } from './texts';

/** The state of a connector: an icon and a word. */
export function Status({ of: c }: { of: Connector }) {
  const t = texts.use();
  const status = statusOf(c, useNow());
  return (
    <span data-state={status}>
      <StatusKind is={levelOf[status]}>{t(`status.${status}`)}</StatusKind>
    </span>
  );
}

interface CommandsProps {
  of: Schemas['ConnectorCommand'][];
}

export function Counted({ of: commands }: CommandsProps) {
  const t = texts.use();
  const offered = commands.filter((c) => c.state === 'offered').length;
  return commands.length ? t('offered', { n: commands.length, offered }) : t('no.commands');
}

/** The number of its commands that need review. */
export function Changed({ of: commands }: CommandsProps) {
  const t = texts.use();
  const changed = commands.filter((c) => c.state === 'changed').length;
  return changed > 0 && <span className="badge warn">{t('changed', { n: changed })}</span>;
}
