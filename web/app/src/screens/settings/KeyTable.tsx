import type { Schemas } from '../../api/client';
import { Time, useNow } from '../../ui/Time';
import { texts } from './texts';

export type Key = Schemas['Key'];

/** The keys, a line each. */
export function KeyTable({ keys, onRevoke }: { keys: Key[]; onRevoke: (key: Key) => void }) {
  const t = texts.use();
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">{t('keys.name')}</th>
            <th scope="col">{t('keys.role')}</th>
            <th scope="col">{t('keys.prefix')}</th>
            <th scope="col">{t('keys.made')}</th>
            <th scope="col">{t('keys.used')}</th>
            <th scope="col">{t('keys.expires')}</th>
            <th scope="col">
              <span className="visually-hidden">{t('keys.revoke')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <KeyRow key={key.id} of={key} onRevoke={() => onRevoke(key)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function KeyRow({ of: key, onRevoke }: { of: Key; onRevoke: () => void }) {
  const t = texts.use();
  return (
    <tr data-key={key.id}>
      <th scope="row">
        <span className="clamp">{key.name}</span>
      </th>
      <td>{t.has(`role.${key.role}`) ? t(`role.${key.role}`) : key.role}</td>
      <td>
        <code>{key.prefix}…</code>
      </td>
      <td className="nowrap">
        <Time at={key.created_at} />
      </td>
      <td className="nowrap">{key.last_used_at ? <Time at={key.last_used_at} /> : t('keys.never')}</td>
      <td className="nowrap">{key.expires_at && <Expiry at={key.expires_at} />}</td>
      <td>
        {key.revoked_at ? (
          <span className="badge bad">{t('keys.revoked')}</span>
        ) : (
          <button
            type="button"
            className="small danger"
            aria-label={t('keys.revoke.of', { name: key.name.slice(0, 80) })}
            onClick={onRevoke}
          >
            {t('keys.revoke')}
          </button>
        )}
      </td>
    </tr>
  );
}

/** Until when a key is good, or that it is not any more. */
function Expiry({ at }: { at: string }) {
  const t = texts.use();
  const now = useNow();
  return Date.parse(at) > now ? <Time at={at} /> : <span className="badge bad">{t('keys.expired')}</span>;
}
