import { Field } from '../../../ui/Field';
import { advancedTexts } from './texts';
import css from '../automations.module.css';
import { amountWrong, budgetNames } from '../draft/draft';
import { errorAt } from '../draft/errors';
import { Fold } from './Fold';
import type { PartProps } from '../draft/partProps';

/** The budgets of an automation. */
export function Budgets({ draft, set, errors }: PartProps) {
  const t = advancedTexts.use();
  const n = budgetNames.filter((name) => draft.budgets[name].trim()).length;
  return (
    <Fold title={t('budgets')} state={n ? t('budgets.n', { n }) : t('budgets.none')}>
      <p className="muted small">{t('budgets.what')}</p>
      <div className={css.two}>
        {(['max_cost_per_session', 'max_cost_per_day', 'max_cost_per_round', 'max_tokens_per_round'] as const).map(
          (name) => (
            <Field
              key={name}
              label={t(`budget.${name}`)}
              wrong={amountWrong(draft.budgets[name]) ? t('budget.wrong') : errorAt(errors, `/budgets/${name}`)}
            >
              <input
                inputMode="decimal"
                value={draft.budgets[name]}
                onChange={(e) => set({ budgets: { ...draft.budgets, [name]: e.target.value } })}
              />
            </Field>
          ),
        )}
      </div>
    </Fold>
  );
}
