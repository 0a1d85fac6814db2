import { KeyRound } from 'lucide-react';
import type { Schemas } from '../../api/client';
import { Status } from '../../ui/Status';
import { Time, useNow } from '../../ui/Time';
import { visible } from '../../ui/visible';
import { Line, Lines } from '../rows/Line';
import { texts } from './texts';

export type Key = Schemas['Key'];

/** The keys, one per row. */
export function KeyTable({ keys, onRevoke }: { keys: Key[]; onRevoke: (key: Key) => void }) {
  const t = texts.use();
  return (
    <Lines columns={[t('keys.role'), t('keys.made'), t('keys.used'), t('keys.expires')]}>
      {keys.map((key) => (
        <KeyRow key={key.id} of={key} onRevoke={() => onRevoke(key)} />
      ))}
    </Lines>
  );
}

function KeyRow({ of: key, onRevoke }: { of: Key; onRevoke: () => void }) {
  const t = texts.use();
  const now = useNow();
  const over = key.expires_at && Date.parse(key.expires_at) <= now;
  return (
    <li data-key={key.id}>
      <Line
        icon={KeyRound}
        name={<bdi>{visible(key.name)}</bdi>}
        meta={<code>{key.prefix}…</code>}
        facts={[
          t.has(`role.${key.role}`) ? t(`role.${key.role}`) : key.role,
          <Time key="made" at={key.created_at} />,
          key.last_used_at ? <Time key="used" at={key.last_used_at} /> : t('keys.never'),
          key.expires_at && <Time key="expires" at={key.expires_at} />,
        ]}
        status={
          key.revoked_at ? (
            <Status is="bad">{t('keys.revoked')}</Status>
          ) : (
            over && <Status is="bad">{t('keys.expired')}</Status>
          )
        }
      >
        {!key.revoked_at && (
          <button
            type="button"
            className="plain small"
            aria-label={t('keys.revoke.of', { name: key.name.slice(0, 80) })}
            onClick={onRevoke}
          >
            {t('keys.revoke')}
          </button>
        )}
      </Line>
    </li>
  );
}
