import { useEffect, useRef } from 'react';
import type { FieldError } from '../api/problem';
import type { Schemas } from '../api/client';
import { Skeleton } from '../ui/Skeleton';
import { SchemaForm, type Schema } from '../ui/SchemaForm';
import { isFields, type Fields } from '../ui/schemaform/types';
import { AutomationForm } from './AutomationForm';
import { createAutomation, errorsOf } from './automationParams';
import { useFieldName } from './Diff';
import { texts } from './texts';
import css from './approvals.module.css';

interface Props {
  action: Schemas['ApprovalAction'];
  schema: Schema | null;
  value: Fields;
  onChange: (value: Fields) => void;
  onClose: (keep: boolean) => void;
  disabled: boolean;
  tries: number;
  problem: FieldError[];
}

/** Edits the params of an action before it is approved. */
export function EditParams({ action, schema, value, onChange, onClose, disabled, tries, problem }: Props) {
  const t = texts.use();
  const name = useFieldName();
  const box = useRef<HTMLFieldSetElement>(null);
  const there = schema !== null;
  useEffect(() => {
    if (there) box.current?.querySelector<HTMLElement>('input, textarea, select')?.focus();
  }, [there]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a key, as in the field of a reason
    <fieldset
      ref={box}
      className={css.edit}
      data-edit={action.id}
      onKeyDown={(e) => {
        if (e.key === 'Escape' && !e.nativeEvent.isComposing) onClose(true); // the input is kept
      }}
    >
      <legend>{t('edit.title')}</legend>
      {schema === null ? (
        <Skeleton rows={2} />
      ) : action.command === createAutomation ? (
        <AutomationForm
          schema={schema}
          value={value}
          onChange={onChange}
          errors={errorsOf(problem, `/edits/${action.id}`)}
          disabled={disabled}
        />
      ) : (
        <SchemaForm
          schema={schema}
          value={value}
          onChange={(next) => onChange(isFields(next) ? next : {})}
          at={`/edits/${action.id}`}
          errors={problem}
          disabled={disabled}
          tries={tries}
          label={(n) => name([n])}
        />
      )}
      <p className="small muted">{t('edit.hint')}</p>
      <div className="row">
        <button type="button" className="small" disabled={disabled} onClick={() => onClose(true)}>
          {t('edit.close')}
        </button>
        <button type="button" className="plain small" disabled={disabled} onClick={() => onClose(false)}>
          {t('edit.undo')}
        </button>
      </div>
    </fieldset>
  );
}
