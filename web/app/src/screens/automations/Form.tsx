import type { FieldError } from '../../api/problem';
import { Field } from '../../ui/Field';
import { errorAt } from './errors';
import { formTexts } from './formTexts';
import { nameFrom, type Draft } from './draft';
import { Request } from './Request';
import { WhenFields } from './When';

export interface FormProps { draft: Draft; onChange: (draft: Draft) => void; errors: FieldError[]; empty: boolean }

/** The fields of an automation: what, when, its name; the rest is folded. */
export function Form({ draft, onChange, errors, empty }: FormProps) {
  const t = formTexts.use();
  const set = (part: Partial<Draft>) => onChange({ ...draft, ...part });
  return (
    <>
      <Request parts={draft.parts} onChange={(parts) => set({ parts })} errors={errors} empty={empty} />
      <WhenFields value={draft.when} onChange={(when) => set({ when })} errors={errors} />
      <Field label={t('name.label')} hint={t('name.hint')} wrong={errorAt(errors, '/name')}>
        <input maxLength={200} placeholder={nameFrom(draft.parts)} value={draft.name} onChange={(e) => set({ name: e.target.value })} />
      </Field>
    </>
  );
}
