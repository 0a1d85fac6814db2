import { Link } from 'wouter';
import { Budgets as Used } from '../usage/Budgets';
import { amounts } from './fields';
import { Form } from './Form';
import { LimitTable } from './LimitTable';
import { Prices } from './Prices';
import { texts } from './texts';

/** Token and money limits, their current usage, and the prices of models. */
export function Budgets({ model }: { model?: string }) {
  const t = texts.use();
  return (
    <>
      <p>
        {t('budgets.text')} <Link href="/usage">{t('budgets.usage')}</Link>
      </p>
      <Form fields={[]}>
        {(draft, settings) => (
          <>
            <LimitTable rows={amounts} draft={draft} settings={settings} />
            <Prices draft={draft} settings={settings} model={model} />
          </>
        )}
      </Form>
      <h3>{t('budgets.used')}</h3>
      <Used />
    </>
  );
}
