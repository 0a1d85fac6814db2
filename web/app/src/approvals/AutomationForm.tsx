import { useState } from 'react';
import { $api } from '../api/client';
import { errorAt, type FieldError } from '../api/problem';
import { missing, type When } from '../schedule/schedule';
import { WhenFields } from '../schedule/WhenFields';
import { Field } from '../ui/Field';
import { checkSchema, type Schema } from '../ui/SchemaForm';
import type { Fields } from '../ui/schemaform/types';
import { Skeleton } from '../ui/Skeleton';
import { namesStart, whenIn, withWhen } from './automationParams';
import { texts } from './texts';

interface Props {
  schema: Schema;
  value: Fields;
  onChange: (value: Fields) => void;
  errors: FieldError[];
  disabled: boolean;
}

/** The fields of an automation that the AI proposes: its schedule is chosen in words, as on its own screen. */
export function AutomationForm(props: Props) {
  const settings = $api.useQuery('get', '/v1/settings');
  if (settings.isPending) return <Skeleton rows={3} />;
  return <Inputs {...props} clock={settings.data?.time_zone ?? 'UTC'} />;
}

function Inputs({ schema, value, onChange, errors, disabled, clock }: Props & { clock: string }) {
  const t = texts.use();
  // While the form is incomplete, it holds more than the params do.
  const [when, setWhen] = useState(() => whenIn(value, clock));
  const own = checkSchema(schema, value).filter((e) => !e.pointer.startsWith('/schedule'));
  const all = [...errors, ...own];
  const text = (name: 'name' | 'request') => (typeof value[name] === 'string' ? value[name] : '');
  const choose = (next: When) => {
    setWhen(next);
    onChange(withWhen(value, next, missing(next) === null, clock));
  };
  return (
    <div className="stack">
      <Field label={t('field.name')} wrong={errorAt(all, '/name')}>
        <input
          value={text('name')}
          maxLength={200}
          disabled={disabled}
          onChange={(e) => onChange({ ...value, name: e.target.value })}
        />
      </Field>
      <Field label={t('field.request')} hint={t('request.hint')} wrong={errorAt(all, '/request')}>
        <textarea
          rows={3}
          value={text('request')}
          disabled={disabled}
          onChange={(e) => onChange({ ...value, request: e.target.value })}
        />
      </Field>
      <WhenFields value={when} onChange={choose} errors={errors} disabled={disabled} start={namesStart(value)} />
    </div>
  );
}
