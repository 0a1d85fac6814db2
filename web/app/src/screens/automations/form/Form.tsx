import type { FieldError } from '../../../api/problem';
import { WhenFields } from '../../../schedule/WhenFields';
import { Field } from '../../../ui/Field';
import { Budgets } from '../advanced/Budgets';
import { nameFrom, type Automation, type Draft } from '../draft/draft';
import { errorAt } from '../draft/errors';
import { formTexts } from './texts';
import { More } from '../advanced/More';
import type { PartProps } from '../draft/partProps';
import { isEmpty } from '../draft/requestParts';
import { Permissions } from '../advanced/Permissions';
import { Request } from './Request';
import { Triggers } from '../advanced/Triggers';

export interface FormProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  errors: FieldError[];
  tried: boolean;
  automation?: Automation;
}

/** The fields of an automation: request, schedule, name; the rest is collapsed. */
export function Form({ draft, onChange, errors, tried, automation }: FormProps) {
  const t = formTexts.use();
  const set = (part: Partial<Draft>) => onChange({ ...draft, ...part });
  const common: PartProps = { draft, set, errors, tried, automation };
  return (
    <>
      <Request
        parts={draft.parts}
        onChange={(parts) => set({ parts })}
        errors={errors}
        empty={tried && isEmpty(draft.parts)}
      />
      <WhenFields value={draft.when} onChange={(when) => set({ when })} errors={errors} none />
      <Field label={t('name.label')} hint={automation ? undefined : t('name.hint')} wrong={errorAt(errors, '/name')}>
        <input
          maxLength={200}
          placeholder={nameFrom(draft.parts)}
          value={draft.name}
          onChange={(e) => set({ name: e.target.value })}
        />
      </Field>
      <Triggers {...common} />
      <Permissions {...common} />
      <Budgets {...common} />
      <More {...common} />
    </>
  );
}
