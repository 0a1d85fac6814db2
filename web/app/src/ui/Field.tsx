import { cloneElement, useId, type ReactElement, type ReactNode } from 'react';
import { texts } from './texts';

interface Control {
  id?: string;
  'aria-describedby'?: string;
  'aria-invalid'?: boolean;
  required?: boolean;
}
interface Props {
  label: ReactNode;
  hint?: ReactNode;
  wrong?: string;
  required?: boolean;
  check?: boolean;
  children: ReactElement<Control>;
}

/** A control with its label, hint and error, associated for screen readers. */
export function Field({ label, hint, wrong, required, check, children }: Props) {
  const t = texts.use();
  const id = useId();
  const described = [hint && `${id}h`, wrong && `${id}w`].filter(Boolean).join(' ') || undefined;
  const control = cloneElement(children, {
    id,
    'aria-describedby': described,
    'aria-invalid': wrong ? true : undefined,
    required,
  });
  return (
    <div className={check ? 'field check' : 'field'}>
      {check && control}
      <label htmlFor={id}>
        {label}
        {required && <span className="muted small"> {t('required')}</span>}
      </label>
      {!check && control}
      {hint && (
        <p id={`${id}h`} className="hint">
          {hint}
        </p>
      )}
      {wrong && (
        <p id={`${id}w`} className="wrong">
          {wrong}
        </p>
      )}
    </div>
  );
}
