import { Link } from 'wouter';
import { Empty } from '../../ui/Empty';
import { amounts, counters, forms } from './fields';
import { texts } from './texts';

interface Props<S extends string> {
  word: string;
  sections: readonly S[];
  onGone: () => void;
}

interface Hit {
  to: string;
  what: string;
  where: string;
}

/** The settings whose name or hint contains all search words, with links to them. */
export function Found<S extends string>({ word, sections, onGone }: Props<S>) {
  const t = texts.use();
  const say = (key: string) => (t.has(key) ? t(key) : '');
  const where = (section: string) => say(`s.${section}`);
  const fields = Object.entries(forms).flatMap(([section, specs]) =>
    specs.map(({ at }) => {
      const name = at.slice(1).replaceAll('/', '.');
      return { section, item: name, what: say(`f.${name}`), text: say(`h.${name}`) };
    }),
  );
  const limits = (section: string, names: readonly string[]) =>
    names.map((name) => ({ section, item: '', what: say(`l.${name}`), text: say(`lh.${name}`) }));
  const parts = [
    ...sections.map((section) => ({ section: section as string, item: '', what: where(section), text: '' })),
    ...fields,
    ...limits('limits', counters),
    ...limits('budgets', amounts),
    { section: 'budgets', item: '', what: t('prices'), text: t('prices.text') },
    { section: 'network', item: '', what: t('fallback'), text: t('fallback.text') },
    ...['mail_to', 'quiet_hours'].map((name) => ({
      section: 'told',
      item: `notifications.${name}`,
      what: say(`f.notifications.${name}`),
      text: say(`h.notifications.${name}`),
    })),
    { section: 'page', item: '', what: t('page.theme'), text: t('notify') },
  ].filter(({ section }) => (sections as readonly string[]).includes(section));
  const words = word.toLowerCase().split(/\s+/).filter(Boolean);
  const hits: Hit[] = parts
    .filter(({ what, text, section }) => {
      const all = `${what} ${text} ${where(section)}`.toLowerCase();
      return what && words.every((w) => all.includes(w));
    })
    .map(({ section, item, what }) => ({
      to: `/settings/${section}${item ? `/${item}` : ''}`,
      what,
      where: where(section),
    }))
    .slice(0, 20);
  return (
    <section className="card stack tight" aria-label={t('search')} data-found={hits.length}>
      {hits.length === 0 ? (
        <Empty>{t('search.none')}</Empty>
      ) : (
        <ul className="rows">
          {hits.map((hit) => (
            <li key={hit.to + hit.what} className="row between">
              <Link href={hit.to} onClick={onGone}>
                {hit.what}
              </Link>
              {hit.where !== hit.what && <span className="meta">{hit.where}</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
