import { Field } from '../../ui/Field';
import styles from './settings.module.css';
import { texts } from './texts';
import { texts as notificationTexts } from './textsOfNotifications';
import type { Draft } from './useSettings';

const at = '/notifications/quiet_hours';
const usual = { from: '22:00', to: '07:00' };

/** The hours without notifications, in the workspace's time zone. */
export function QuietHours({ draft, zone }: { draft: Draft; zone: string }) {
  const t = texts.use();
  const tt = notificationTexts.use();
  const hours = draft.get(at) as typeof usual | null;
  const both = draft.errors.find((e) => e.pointer === at)?.message;
  return (
    <div className="stack tight" data-setting={at}>
      <Field label={t('f.notifications.quiet_hours')} hint={t('h.notifications.quiet_hours')} wrong={both} check>
        <input
          type="checkbox"
          checked={hours !== null}
          onChange={(e) => draft.set(at, e.target.checked ? usual : null)}
        />
      </Field>
      {hours && (
        <div className={styles.hours}>
          {(['from', 'to'] as const).map((end) => (
            <Field key={end} label={tt(end)} wrong={draft.wrong(`${at}/${end}`)}>
              <input
                type="time"
                className={styles.time}
                value={hours[end]}
                onChange={(e) => draft.set(at, { ...hours, [end]: e.target.value })}
              />
            </Field>
          ))}
          <p className="small muted">{tt('zone', { zone: zone.replaceAll('_', ' ') })}</p>
        </div>
      )}
    </div>
  );
}
