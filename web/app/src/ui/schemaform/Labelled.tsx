import { useId, useState, type ReactElement, type ReactNode } from 'react';
import { texts as uiTexts } from '../texts';
import { useForm, type ControlProps } from './form';
import { lastOf } from './pointer';
import { texts } from './texts';
import type { Mistake } from './types';

export interface Given {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
  'aria-required': true | undefined;
  disabled: boolean;
}

/** The errors of a field that are shown: the server's at once, the form's own when the field was left, or when the
 * whole form is checked. */
export function useShownErrors(errors: Mistake[]): { shownErrors: Mistake[]; onBlur: () => void } {
  const { all } = useForm();
  const [left, setLeft] = useState(false);
  return { shownErrors: errors.filter((e) => !e.mine || all || left), onBlur: () => setLeft(true) };
}

export function Wrong({ id, shownErrors, at }: { id: string; shownErrors: Mistake[]; at: string }) {
  if (!shownErrors.length) return null;
  const lines = [...new Map(shownErrors.map((e) => [e.pointer + e.message, e])).values()];
  return (
    <div id={id} className="wrong">
      {lines.map((e) => (
        <p key={e.pointer + e.message}>
          {e.pointer !== at && (
            <>
              <code>{lastOf(e.pointer)}</code>{' '}
            </>
          )}
          {e.message}
        </p>
      ))}
    </div>
  );
}

/** The hint of a field: its description and its default. */
export function useHint({ schema, required }: Pick<ControlProps, 'schema' | 'required'>): ReactNode {
  const t = texts.use();
  const fallback =
    schema.default === undefined || required
      ? ''
      : t('default', { value: typeof schema.default === 'string' ? schema.default : JSON.stringify(schema.default) });
  const said = [schema.description, fallback].filter(Boolean).join(' ');
  return said || null;
}

interface Props {
  of: ControlProps;
  hint?: ReactNode;
  shownErrors: Mistake[];
  onBlur: () => void;
  check?: boolean;
  children: (given: Given) => ReactElement;
}

/** One control with its label, hint and errors. */
export function Labelled({ of, hint, shownErrors, onBlur, check, children }: Props) {
  const words = uiTexts.use();
  const { disabled } = useForm();
  const id = useId();
  const own = useHint(of);
  const said = hint ?? own;
  const control = children({
    id,
    disabled,
    'aria-invalid': shownErrors.length ? true : undefined,
    'aria-required': of.required || undefined,
    'aria-describedby': [said && `${id}h`, shownErrors.length && `${id}w`].filter(Boolean).join(' ') || undefined,
  });
  return (
    <div className={check ? 'field check' : 'field'} data-pointer={of.at} onBlur={onBlur}>
      {check && control}
      <label htmlFor={id} className={of.quiet ? 'visually-hidden' : undefined}>
        {of.name}
        {of.required && !check && <span className="muted small"> {words('required')}</span>}
      </label>
      {!check && control}
      {said && (
        <p id={`${id}h`} className="hint">
          {said}
        </p>
      )}
      <Wrong id={`${id}w`} shownErrors={shownErrors} at={of.at} />
    </div>
  );
}

/** Several controls of one field: radio buttons, checkboxes. */
export function LabelledGroup({
  of,
  shownErrors,
  role,
  children,
}: {
  of: ControlProps;
  shownErrors: Mistake[];
  role: 'radiogroup' | 'group';
  children: ReactNode;
}) {
  const words = uiTexts.use();
  const id = useId();
  const said = useHint(of);
  return (
    <fieldset
      className="field"
      role={role}
      data-pointer={of.at}
      aria-describedby={[said && `${id}h`, shownErrors.length && `${id}w`].filter(Boolean).join(' ') || undefined}
      {...(role === 'radiogroup'
        ? { 'aria-required': of.required || undefined, 'aria-invalid': shownErrors.length ? true : undefined }
        : {})}
    >
      <legend className={of.quiet ? 'visually-hidden' : undefined}>
        {of.name}
        {of.required && <span className="muted small"> {words('required')}</span>}
      </legend>
      {said && (
        <p id={`${id}h`} className="hint">
          {said}
        </p>
      )}
      {children}
      <Wrong id={`${id}w`} shownErrors={shownErrors} at={of.at} />
    </fieldset>
  );
}
