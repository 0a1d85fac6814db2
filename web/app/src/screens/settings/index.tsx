import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useMay } from '../../api/me';
import { Page } from '../../ui/Page';
import { Agents } from '../agents';
import { Connectors } from '../connectors';
import { Budgets } from './Budgets';
import { Fallback } from './Fallback';
import { counters, forms } from './fields';
import { Form } from './Form';
import { Keys } from './Keys';
import { LimitTable, Strict } from './LimitTable';
import { Matrix } from './Matrix';
import { PageSection } from './PageSection';
import { Found } from './Found';
import { Prompts } from './Prompts';
import { Providers } from './Providers';
import styles from './settings.module.css';
import { Notifications } from './Notifications';
import { texts } from './texts';
import { AdminsOnly, You } from './You';
import { Webhooks } from './Webhooks';

const sections = [
  'providers',
  'validation',
  'limits',
  'budgets',
  'automations',
  'network',
  'calendar',
  'prompts',
  'connectors',
  'agents',
  'keys',
  'webhooks',
  'told',
  'you',
  'page',
] as const;
/** The reader's own sections; the others are for administrators. */
const personal: readonly string[] = ['told', 'you', 'page'];

type Section = (typeof sections)[number];

const content: Record<Section, (item?: string) => ReactNode> = {
  providers: () => <Providers />,
  validation: () => (
    <>
      <Form fields={forms.validation} />
      <Matrix />
    </>
  ),
  limits: () => (
    <Form fields={[]}>
      {(draft, settings) => (
        <>
          <Strict draft={draft} />
          <LimitTable rows={counters} draft={draft} settings={settings} />
        </>
      )}
    </Form>
  ),
  budgets: (item) => <Budgets model={item} />,
  automations: () => <Form fields={forms.automations} />,
  network: () => <Form fields={forms.network}>{(draft) => <Fallback draft={draft} />}</Form>,
  calendar: () => <Form fields={forms.calendar} />,
  prompts: () => <Prompts />,
  connectors: (item) => <Connectors item={item} />,
  agents: (item) => <Agents item={item} />,
  keys: () => <Keys />,
  webhooks: () => <Webhooks />,
  told: () => <Notifications />,
  you: () => <You />,
  page: () => <PageSection />,
};

/** The name in an address, unchanged: a model's name may contain a slash. */
function named(item: string | undefined): string | undefined {
  try {
    return item && decodeURIComponent(item);
  } catch {
    return item; // a mistyped address
  }
}

/** The settings, in sections that are saved separately. */
export default function Settings({ section, item }: { section?: string; item?: string }) {
  const t = texts.use();
  const admin = useMay('admin');
  const offered = sections.filter((s) => admin || personal.includes(s));
  const here = sections.find((s) => s === section) ?? (admin ? 'providers' : 'you');
  const [word, setWord] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const menu = useRef<HTMLElement>(null);
  useEffect(() => {
    // If the sections are in one row, the current one is scrolled into view.
    const list = menu.current?.querySelector('ul');
    const link = list?.querySelector<HTMLElement>(`[data-to="${here}"]`);
    if (list && link) list.scrollLeft = link.offsetLeft - list.offsetLeft - 16;
  }, [here]);
  const place = `${here}/${item ?? ''}`;
  const before = useRef(place);
  useEffect(() => {
    if (before.current !== place) {
      const asked =
        item &&
        document.querySelector<HTMLElement>(`[data-setting="/${item.replaceAll('.', '/')}"] :is(input, select)`);
      if (asked) asked.focus();
      else heading.current?.focus({ preventScroll: true });
    }
    before.current = place;
  }, [place, item]);
  return (
    <Page
      title={t('title')}
      name={`${t(`s.${here}`)} · ${t('title')}`}
      actions={
        admin && (
          <input
            type="search"
            className={styles.search}
            aria-label={t('search')}
            placeholder={t('search')}
            value={word}
            onChange={(e) => setWord(e.target.value)}
          />
        )
      }
    >
      {word.trim() !== '' && <Found word={word} sections={offered} onGone={() => setWord('')} />}
      <div className={styles.frame}>
        <nav ref={menu} aria-label={t('sections')} className={styles.nav}>
          <ul className="plain">
            {offered.map((s) => (
              <li key={s}>
                <Link href={`/settings/${s}`} data-to={s} aria-current={s === here ? 'page' : undefined}>
                  {t(`s.${s}`)}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <section className="stack" key={here} aria-labelledby="settings-section" data-section={here}>
          <h2 id="settings-section" ref={heading} tabIndex={-1}>
            {t(`s.${here}`)}
          </h2>
          {admin || personal.includes(here) ? content[here](named(item)) : <AdminsOnly />}
        </section>
      </div>
    </Page>
  );
}
