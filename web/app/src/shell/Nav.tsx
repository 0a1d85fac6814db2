import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { signOut, useMay, useMe } from '../api/me';
import { getLang, setLang } from '../i18n/lang';
import { show } from './palette/overlay';
import { setTheme, useTheme, type Theme } from './theme';
import { texts } from './texts';
import { useAction } from '../ui/action';
import { ProblemBox } from '../ui/Problem';

const screens = ['home', 'chat', 'approvals', 'automations', 'runs', 'data', 'usage', 'settings', 'system'] as const;
const pathOf = (screen: (typeof screens)[number]) => (screen === 'home' ? '/' : `/${screen}`);

/** The way to every screen, the language and the theme. On a narrow page it is folded. */
export function Nav({ waiting }: { waiting: number }) {
  const t = texts.use();
  const [path] = useLocation();
  const [open, setOpen] = useState(false);
  const admin = useMay('admin');
  const offered = screens.filter((screen) => screen !== 'system' || admin);
  const at = path === '/tasks' || path.startsWith('/tasks/') ? '/runs' : path; // tasks stand beside runs
  const here = screens.find((s) => (s === 'home' ? at === '/' : at === `/${s}` || at.startsWith(`/${s}/`)));
  return (
    <div className="side">
      <div className="brand">
        <Mark />
        <span className="grow">Fermata</span>
        {waiting > 0 && (
          <Link
            href="/approvals"
            className="badge warn narrow-only"
            aria-label={t('waiting', { n: waiting })}
            title={t('waiting', { n: waiting })}
          >
            {waiting}
          </Link>
        )}
        <button
          type="button"
          className="plain narrow-only"
          aria-expanded={open}
          aria-controls="nav"
          onClick={() => setOpen(!open)}
        >
          ☰ {t('menu')}
        </button>
      </div>
      <nav id="nav" aria-label={t('nav.label')} data-open={open}>
        <ul className="plain">
          {offered.map((screen) => (
            <li key={screen}>
              <Link
                href={pathOf(screen)}
                aria-current={screen === here ? 'page' : undefined}
                onClick={() => setOpen(false)}
              >
                <span className="grow">{t(`nav.${screen}`)}</span>
                {screen === 'approvals' && waiting > 0 && (
                  <span className="badge warn">
                    <span aria-hidden="true">{waiting}</span>
                    <span className="visually-hidden">{t('waiting', { n: waiting })}</span>
                  </span>
                )}
              </Link>
            </li>
          ))}
        </ul>
        <Foot onUsed={() => setOpen(false)} />
      </nav>
    </div>
  );
}

/** The sign over a note that says: hold. */
function Mark() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d="M3 17a9 9 0 0 1 18 0" fill="none" stroke="currentColor" strokeWidth="2.4" strokeLinecap="round" />
      <circle cx="12" cy="16" r="2.2" fill="currentColor" />
    </svg>
  );
}

/** What is on every screen: the palette, the shortcuts, theme, language and signing out. */
function Foot({ onUsed }: { onUsed: () => void }) {
  const t = texts.use();
  const theme = useTheme();
  return (
    <div className="foot stack tight">
      <button
        type="button"
        className="plain small"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => {
          onUsed();
          show('palette');
        }}
      >
        {t('palette')}
      </button>
      <button
        type="button"
        className="plain small"
        onClick={() => {
          onUsed();
          show('keys');
        }}
      >
        {t('keys')}
      </button>
      <label className="row small">
        <span className="muted">{t('theme')}</span>
        <select value={theme} onChange={(e) => setTheme(e.target.value as Theme)}>
          {(['system', 'light', 'dark'] as const).map((name) => (
            <option key={name} value={name}>
              {t(`theme.${name}`)}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        className="plain small"
        lang={getLang() === 'en' ? 'fr' : 'en'}
        onClick={() => setLang(getLang() === 'en' ? 'fr' : 'en')}
      >
        {t('language')}
      </button>
      <Who onUsed={onUsed} />
    </div>
  );
}

/** Who is signed in, and the way out. */
function Who({ onUsed }: { onUsed: () => void }) {
  const t = texts.use();
  const me = useMe().data;
  const leave = useAction(signOut);
  if (!me?.session) return null;
  const role = t(`role.${me.role}`);
  return (
    <>
      <Link href="/settings/you" className="small clamp" onClick={onUsed} data-who={me.id}>
        <bdi>{me.name || role}</bdi>
        {me.name && <span className="muted"> · {role}</span>}
      </Link>
      <button type="button" className="plain small" disabled={leave.busy} onClick={() => void leave.run()}>
        {t('sign.out')}
      </button>
      {leave.problem != null && <ProblemBox thrown={leave.problem} />}
    </>
  );
}
