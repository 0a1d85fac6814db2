import { useMay } from '../../api/me';
import { Devices } from './Devices';
import { forms } from './fields';
import { Form } from './Form';
import { MailTo } from './MailTo';
import { QuietHours } from './QuietHours';
import { texts } from './textsOfNotifications';
import { Value } from './Value';

/** Notifications of pending items: recipients, channels and times, for the reader and for those whom an administrator
 * names. */
export function Notifications() {
  const t = texts.use();
  const admin = useMay('admin');
  return (
    <div className="stack">
      <p>{t('text')}</p>
      <Devices />
      {admin && <Others />}
    </div>
  );
}

function Others() {
  const t = texts.use();
  return (
    <section className="stack" aria-labelledby="told-others">
      <h3 id="told-others">{t('workspace')}</h3>
      <Form fields={[]}>
        {(draft, settings) => (
          <>
            <MailTo draft={draft} off={settings.mail_off} />
            <QuietHours draft={draft} zone={settings.time_zone} />
            {forms.told.map((spec) => (
              <Value key={spec.at} spec={spec} draft={draft} settings={settings} />
            ))}
          </>
        )}
      </Form>
    </section>
  );
}
