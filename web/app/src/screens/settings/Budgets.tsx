import { Link } from 'wouter';
import { Budgets as Used } from '../usage/Budgets';
import { amounts } from './fields';
import { Form } from './Form';
import { LimitTable } from './LimitTable';
import { texts } from './texts';

/** Limits of tokens and money, and what is used of them. */
export function Budgets() {
  const t = texts.use();
  return (
    <>
      <p>
        {t('budgets.text')} <Link href="/usage">{t('budgets.usage')}</Link>
      </p>
      <Form fields={[]}>{(draft, settings) => <LimitTable rows={amounts} draft={draft} settings={settings} />}</Form>
      <h3>{t('budgets.used')}</h3>
      <Used />
    </>
  );
}
