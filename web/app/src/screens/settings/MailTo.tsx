import { useId } from 'react';
import { texts as uiTexts } from '../../ui/texts';
import { texts } from './texts';
import { texts as notificationTexts } from './textsOfNotifications';
import type { Draft } from './useSettings';

const at = '/notifications/mail_to';
const most = 20;

/** The addresses that receive mail, each in a field of its own, and an empty one to add another. */
export function MailTo({ draft, off }: { draft: Draft; off: string | null }) {
  const t = texts.use();
  const tt = notificationTexts.use();
  const tu = uiTexts.use();
  const id = useId();
  const list = (draft.get(at) ?? []) as string[];
  const rows = off || list.length >= most ? list : [...list, ''];
  const put = (i: number, address: string) =>
    draft.set(
      at,
      rows.with(i, address).filter((a, j) => a || (j === i && i < list.length)),
    );
  const all = draft.errors.find((e) => e.pointer === at)?.message;
  return (
    <fieldset className="stack tight" data-setting={at} aria-describedby={`${id}h`}>
      <legend>
        <strong>{t('f.notifications.mail_to')}</strong>
      </legend>
      <p className="muted small" id={`${id}h`}>
        {t('h.notifications.mail_to')}
      </p>
      {off && (
        <p className="box warn" data-mail-off={off}>
          {tt(off === 'no_address' ? 'off.no_address' : 'off.no_server')}
        </p>
      )}
      {rows.length > 0 && (
        <ul className="plain stack tight">
          {rows.map((address, i) => (
            // A field keeps its identity while it is typed in; the next one is added below it.
            // eslint-disable-next-line react/no-array-index-key
            <li key={i}>
              <div className="row">
                <input
                  type="email"
                  className="grow"
                  value={address}
                  maxLength={254}
                  autoComplete="off"
                  placeholder={i === list.length ? 'ada@example.org' : undefined}
                  aria-label={i < list.length ? tt('address', { n: i + 1 }) : tt('address.add')}
                  aria-invalid={draft.wrong(`${at}/${i}`) ? true : undefined}
                  aria-describedby={draft.wrong(`${at}/${i}`) ? `${id}w${i}` : undefined}
                  onChange={(e) => put(i, e.target.value.trim())}
                  onBlur={() => list.includes('') && draft.set(at, list.filter(Boolean))}
                />
                {i < list.length && (
                  <button
                    type="button"
                    className="small"
                    aria-label={tt('address.remove', { address })}
                    onClick={() => draft.set(at, list.toSpliced(i, 1))}
                  >
                    {tu('remove')}
                  </button>
                )}
              </div>
              {draft.wrong(`${at}/${i}`) && (
                <p className="wrong" id={`${id}w${i}`}>
                  {draft.wrong(`${at}/${i}`)}
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
      {all && <p className="wrong">{all}</p>}
    </fieldset>
  );
}
