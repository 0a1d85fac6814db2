import { useState } from 'react';
import { setLang, type Lang } from '../../i18n/lang';
import { useLang } from '../../i18n/texts';
import { setTheme, useTheme, type Theme } from '../../shell/theme';
import { Field } from '../../ui/Field';
import { texts } from './texts';

/** Settings of this browser only: language, theme, notifications. */
export function PageSection() {
  const t = texts.use();
  const lang = useLang();
  const theme = useTheme();
  return (
    <div className="stack">
      <Field label={t('page.language')} hint={t('page.language.hint')}>
        <select value={lang} onChange={(e) => setLang(e.target.value as Lang)}>
          <option value="en">English</option>
          <option value="fr">Français</option>
        </select>
      </Field>
      <Field label={t('page.theme')}>
        <select value={theme} onChange={(e) => setTheme(e.target.value as Theme)}>
          {(['system', 'light', 'dark'] as const).map((name) => (
            <option key={name} value={name}>
              {t(`page.theme.${name}`)}
            </option>
          ))}
        </select>
      </Field>
      <Notify />
    </div>
  );
}

function Notify() {
  const t = texts.use();
  const [state, setState] = useState<NotificationPermission | 'missing'>(() =>
    'Notification' in window ? Notification.permission : 'missing',
  );
  return (
    <section className="stack tight">
      <h3>{t('notify')}</h3>
      <p>{t('notify.text')}</p>
      <p data-notify={state}>{t(`notify.${state}`)}</p>
      {state === 'default' && (
        <p>
          <button type="button" onClick={async () => setState(await Notification.requestPermission())}>
            {t('notify.allow')}
          </button>
        </p>
      )}
    </section>
  );
}
