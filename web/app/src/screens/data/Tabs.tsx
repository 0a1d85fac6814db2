import { Link, useLocation } from 'wouter';
import css from './data.module.css';
import { texts } from './texts';

const tabs = [
  ['/data', 'zones'],
  ['/data/documents', 'documents'],
  ['/data/types', 'types'],
] as const;

/** Navigation between the kinds of data. */
export function Tabs() {
  const t = texts.use();
  const [path] = useLocation();
  return (
    <nav className={css.tabs} aria-label={t('nav.label')}>
      {tabs.map(([href, name]) => (
        <Link key={href} href={href} aria-current={path.replace(/\/$/, '') === href ? 'page' : undefined}>
          {t(`nav.${name}`)}
        </Link>
      ))}
    </nav>
  );
}
